import { DataError } from "../errors.js";
import { log } from "./elementary.js";
import type { Pointer, RowMatrix } from "./row-matrix.js";
import { sketchBytes } from "./row-sketches.js";

/** Rounding of a sum of squares over all rows, relative to it, and more. */
const ROUNDING = 1e-6;

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
  const sketchSize = sketchBytes(matrix.sketchCoordinates);
  const working = [
    most * 4,
    clusters * 4,
    n * 4,
    n * 8,
    most * clusters * 8,
    n * most * 8,
    (most + clusters) * stride * 4,
    most * sketchSize,
  ];
  matrix.makeRoom(working);
  const { sketches } = matrix;
  const toSketch = sketches?.isReady ? undefined : sketches;
  await toSketch?.chooseBasis();
  const [trialsAt, centresAt, nearestAt, squaresAt, apartAt, afterAt, copiesAt, trialSketches] =
    matrix.allocateAll(working);
  // Copies of rows that the matrix does not keep.
  const copyAt = (place: number) => copiesAt + place * stride * 4;
  try {
    // Trials and centres are addresses for the kernels; `drawn` and `chosen` are the same as indices of rows.
    const trials = matrix.ints(trialsAt, most);
    const centres = matrix.ints(centresAt, clusters);
    const chosen = new Int32Array(clusters);
    const nearest = matrix.ints(nearestAt, n);
    const squares = matrix.doubles(squaresAt, n).fill(Infinity);
    const state = [nearestAt, squaresAt, apartAt, clusters];

    const setTrials = async (addresses: readonly Pointer[]) => {
      trials.set(addresses);
      if (sketches?.isReady)
        for (const [t, address] of addresses.entries())
          await sketches.of(address, 1, trialSketches + t * sketchSize);
    };

    /** Leaves out trials that sketches show to be worse than another: their sums need not be known. */
    const promising = async (count: number): Promise<number[]> => {
      const all = Array.from({ length: count }, (_, t) => t);
      if (!sketches?.isReady || count === 1) return all;
      const [lowest, highest] = [0, 1].map((isUpper) => async () => {
        const rest = [sketches.at, sketches.dims, trialSketches, count, squaresAt, isUpper, afterAt];
        await matrix.run("boundTrials", n, 1024, ...rest);
        return columnSums(matrix.doubles(afterAt, n * count), count);
      });
      const lows = await lowest();
      const ceiling = Math.min(...(await highest())) * (1 + ROUNDING);
      return all.filter((t) => lows[t] <= ceiling);
    };

    let potential = Infinity;
    for (let c = 0; c < clusters; c++) {
      if (potential === 0) throw tooFewDistinct(c, clusters);
      let drawn = Array.from({ length: c === 0 ? 1 : most }, () =>
        c === 0 ? random.below(n) : draw(squares, potential, random),
      );
      let addresses: Pointer[] = [];
      for (const [t, row] of drawn.entries()) addresses.push(await matrix.locate(row, copyAt(t)));
      await setTrials(addresses);
      const tried = await promising(drawn.length);
      if (tried.length < drawn.length) {
        drawn = tried.map((t) => drawn[t]);
        addresses = tried.map((t) => addresses[t]);
        await setTrials(addresses);
      }
      const count = drawn.length;
      await matrix.run("squaresBetween", count, 1, stride * 4, trialsAt, centresAt, c, apartAt, clusters);
      const isSketching = toSketch && c === 0;
      const bySketch = sketches?.isReady ? [sketches.at, sketches.dims, trialSketches] : [0, 0, 0];
      await matrix.pass(
        async (rows) => {
          const rest = [rows.base, stride * 4, trialsAt, count, ...state, afterAt, rows.chosen];
          await matrix.runOn(rows, "tryCentres", 32, ...rest);
          if (isSketching) await toSketch.add(rows);
        },
        isSketching
          ? undefined // sketches need all rows
          : (flags, rows) => matrix.runOn(rows, "chooseForTrials", 1024, ...bySketch, count, ...state, flags),
      );
      if (isSketching) toSketch.finish();
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
