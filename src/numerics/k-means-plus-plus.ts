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
  const most = 2 + Math.floor(log(clusters));
  const trialsAt = matrix.allocate(most * 4);
  const centresAt = matrix.allocate(clusters * 4);
  const nearestAt = matrix.allocate(n * 4);
  const squaresAt = matrix.allocate(n * 8);
  const apartAt = matrix.allocate(most * clusters * 8);
  const afterAt = matrix.allocate(n * most * 8);
  try {
    const trials = matrix.ints(trialsAt, most);
    const centres = matrix.ints(centresAt, clusters);
    const nearest = matrix.ints(nearestAt, n);
    const squares = matrix.doubles(squaresAt, n).fill(Infinity);
    const rows = [matrix.data, matrix.stride * 4];
    const state = [nearestAt, squaresAt, apartAt, clusters];
    let potential = Infinity;
    for (let c = 0; c < clusters; c++) {
      if (potential === 0) throw tooFewDistinct(c, clusters);
      const count = c === 0 ? 1 : most;
      for (let t = 0; t < count; t++)
        trials[t] = c === 0 ? random.below(n) : draw(squares, potential, random);
      await matrix.run("squaresBetween", count, 1, ...rows, trialsAt, centresAt, c, apartAt, clusters);
      await matrix.run("tryCentres", n, 32, ...rows, trialsAt, count, ...state, afterAt);
      const after = matrix.doubles(afterAt, n * count);
      const sums = columnSums(after, count);
      potential = Math.min(...sums);
      const best = sums.indexOf(potential);
      centres[c] = trials[best];
      for (let i = 0; i < n; i++) {
        if (after[i * count + best] < squares[i]) {
          squares[i] = after[i * count + best];
          nearest[i] = c;
        }
      }
    }
    return { centres: centres.slice(), nearest: nearest.slice() };
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
