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
 * k-means++ (Arthur and Vassilvitskii, SODA 2007) in its greedy form, which that paper describes and scikit-
 * learn uses: a centre is the best of 2 + ln(clusters) rows, each drawn with a probability proportional to
 * the squared distance from the nearest centre so far; the best leaves the smallest sum of these squares. A
 * copy of a centre has weight exactly zero and is never drawn.
 */
export async function kMeansPlusPlus(matrix: RowMatrix, clusters: number, random: Uniforms): Promise<Seeds> {
  const n = matrix.rows;
  const { stride } = matrix;
  const most = 2 + Math.floor(log(clusters));
  const [trialsAt, centresAt, nearestAt, squaresAt, apartAt, afterAt, copiesAt] = matrix.allocateAll([
    most * 4,
    clusters * 4,
    n * 4,
    n * 8,
    most * clusters * 8,
    n * most * 8,
    (most + clusters) * stride * 4,
  ]);
  // Copies of rows that the matrix does not keep.
  const copyAt = (place: number) => copiesAt + place * stride * 4;
  try {
    // Trials and centres are addresses for the kernels; `drawn` and `chosen` are the same as indices of rows.
    const trials = matrix.ints(trialsAt, most);
    const centres = matrix.ints(centresAt, clusters);
    const drawn = new Int32Array(most);
    const chosen = new Int32Array(clusters);
    const nearest = matrix.ints(nearestAt, n);
    const squares = matrix.doubles(squaresAt, n).fill(Infinity);
    const state = [nearestAt, squaresAt, apartAt, clusters];
    let potential = Infinity;
    for (let c = 0; c < clusters; c++) {
      if (potential === 0) throw tooFewDistinct(c, clusters);
      const count = c === 0 ? 1 : most;
      for (let t = 0; t < count; t++) drawn[t] = c === 0 ? random.below(n) : draw(squares, potential, random);
      for (let t = 0; t < count; t++) trials[t] = await matrix.locate(drawn[t], copyAt(t));
      await matrix.run("squaresBetween", count, 1, stride * 4, trialsAt, centresAt, c, apartAt, clusters);
      await matrix.pass(
        (rows) =>
          matrix.runOn(rows, "tryCentres", 32, rows.base, stride * 4, trialsAt, count, ...state, afterAt),
        (flags, rows) => matrix.runOn(rows, "chooseForTrials", 1024, count, ...state, flags),
      );
      const after = matrix.doubles(afterAt, n * count);
      const sums = columnSums(after, count);
      potential = Math.min(...sums);
      const best = sums.indexOf(potential);
      chosen[c] = drawn[best];
      centres[c] = await matrix.locate(chosen[c], copyAt(most + c));
      for (let i = 0; i < n; i++) {
        if (after[i * count + best] < squares[i]) {
          squares[i] = after[i * count + best];
          nearest[i] = c;
        }
      }
    }
    return { centres: chosen, nearest: nearest.slice() };
  } finally {
    matrix.release(trialsAt);
  }
}

function columnSums(values: Float64Array, columns: number): Float64Array {
  const sums = new Float64Array(columns);
  for (let i = 0; i < values.length; i++) sums[i % columns] += values[i];
  return sums;
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
    `${clusters} bins need as many distinct responses, and there are only ${distinct}: ` +
      `ask for at most ${distinct}`,
  );
}
