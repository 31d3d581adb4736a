import { DataError } from "../errors.js";
import { log } from "./elementary.js";
import type { RowMatrix } from "./row-matrix.js";

/** Where the random choices come from; a `Stream` is one. */
export interface Uniforms {
  /** Uniform in (0, 1). */
  uniform(): number;
  /** A whole number, uniform in [0, bound). */
  below(bound: number): number;
}

/** Rows chosen as first centres, and for every row which of them is nearest. */
export interface Seeds {
  readonly centres: Int32Array;
  readonly nearest: Int32Array;
}

/**
 * k-means++ (Arthur and Vassilvitskii, SODA 2007) in its greedy form, which that paper describes and scikit-learn
 * uses: a centre is the best of 2 + ln(clusters) rows, each drawn with a probability proportional to the squared
 * distance from the nearest centre so far; the best leaves the smallest sum of these squares. A copy of a centre
 * has weight exactly zero and is never drawn.
 */
export async function kMeansPlusPlus(matrix: RowMatrix, clusters: number, random: Uniforms): Promise<Seeds> {
  const n = matrix.rows;
  const stride = matrix.stride * 4;
  const most = 2 + Math.floor(log(clusters));
  const trialsAt = matrix.allocate(most * 4);
  const centresAt = matrix.allocate(clusters * 4);
  const nearestAt = matrix.allocate(n * 4);
  const squaresAt = matrix.allocate(n * 8);
  const apartAt = matrix.allocate(most * clusters * 8);
  const outAt = matrix.allocate(n * most * 8);
  try {
    const trials = matrix.ints(trialsAt, most);
    const centres = matrix.ints(centresAt, clusters);
    const nearest = matrix.ints(nearestAt, n);
    const squares = matrix.doubles(squaresAt, n).fill(Infinity);
    const out = matrix.doubles(outAt, n * most);
    let potential = Infinity;
    for (let c = 0; c < clusters; c++) {
      const count = c === 0 ? 1 : most;
      if (potential === 0) throw tooFewDistinct(c, clusters);
      for (let t = 0; t < count; t++)
        trials[t] = c === 0 ? random.below(n) : draw(squares, potential, random);
      await matrix.run(
        "squaresBetween",
        count,
        1,
        matrix.data,
        stride,
        trialsAt,
        centresAt,
        c,
        apartAt,
        clusters,
      );
      await matrix.run(
        "tryCentres",
        n,
        32,
        matrix.data,
        stride,
        trialsAt,
        count,
        nearestAt,
        squaresAt,
        apartAt,
        clusters,
        outAt,
      );
      let best = 0;
      potential = Infinity;
      for (let t = 0; t < count; t++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += out[i * count + t];
        if (sum < potential) {
          potential = sum;
          best = t;
        }
      }
      centres[c] = trials[best];
      for (let i = 0; i < n; i++) {
        if (out[i * count + best] < squares[i]) {
          squares[i] = out[i * count + best];
          nearest[i] = c;
        }
      }
    }
    return { centres: centres.slice(), nearest: nearest.slice() };
  } finally {
    matrix.release(trialsAt);
  }
}

/** A row, drawn with a probability proportional to its square. */
function draw(squares: Float64Array, total: number, random: Uniforms): number {
  const target = random.uniform() * total;
  let sum = 0;
  let last = 0;
  for (let i = 0; i < squares.length; i++) {
    if (squares[i] === 0) continue;
    sum += squares[i];
    last = i;
    if (sum > target) break;
  }
  return last;
}

function tooFewDistinct(distinct: number, clusters: number): DataError {
  return new DataError(
    `${clusters} bins need as many distinct responses, and there are only ${distinct}: ask for at most ${distinct}`,
  );
}
