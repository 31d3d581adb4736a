import type { WaveWindow } from "../numerics/kernels/wave-kernel.js";

/**
 * Cells that a window has beyond what the fastest wave reaches, for the numerical forerunners of a front. Traces change
 * by less than 2e-8 of their peak.
 */
const FORERUN = 16;

export interface Reach {
  /** Rows of the whole grid: speed in m/s by row; columns with the same spacing in m. */
  readonly velocities: Float64Array;
  readonly columns: number;
  readonly spacing: number;
  readonly timeStep: number;
  readonly steps: number;
  /** The source and all receivers stand in this row. */
  readonly row: number;
  readonly source: number;
  /** The first and the last receiver's column. */
  readonly receivers: readonly [first: number, last: number];
}

/**
 * The part of the grid that matters at every step: what the source has reached by then and from where a wave can still
 * come to a receiver before the end. In flat layers the fastest way between two depths is straight down, and
 * nothing runs faster sideways than the fastest layer. What lies too deep to return is never touched.
 */
export function waveWindows(reach: Reach): (step: number) => WaveWindow {
  const { velocities, columns, spacing, timeStep, steps, row, source, receivers } = reach;
  const arrivals = verticalTimes(velocities, spacing, row); // s
  const speed = (Math.max(...velocities) * timeStep) / spacing; // cells a step
  const [first, last] = receivers;
  return (step) => {
    const time = Math.min(step + 1, steps - step) * timeStep;
    let firstRow = row;
    let endRow = row + 1;
    while (firstRow > 0 && arrivals[firstRow - 1] <= time) firstRow--;
    while (endRow < velocities.length && arrivals[endRow] <= time) endRow++;
    const out = (step + 1) * speed;
    const back = (steps - step) * speed;
    const firstColumn = Math.floor(Math.max(source - out, first - back)) - FORERUN;
    const endColumn = Math.ceil(Math.min(source + out, last + back)) + FORERUN + 1;
    return {
      firstRow: Math.max(0, firstRow - FORERUN),
      endRow: Math.min(velocities.length, endRow + FORERUN),
      firstColumn: Math.max(0, firstColumn - (firstColumn & 1)),
      endColumn: Math.min(columns, endColumn + (endColumn & 1)),
    };
  };
}

/** Seconds from a row straight to every other, each half of a spacing at the speed of the row it belongs to. */
function verticalTimes(velocities: Float64Array, spacing: number, row: number): Float64Array {
  const times = new Float64Array(velocities.length);
  const between = (a: number, b: number) => (spacing / velocities[a] + spacing / velocities[b]) / 2;
  for (let r = row + 1; r < times.length; r++) times[r] = times[r - 1] + between(r - 1, r);
  for (let r = row - 1; r >= 0; r--) times[r] = times[r + 1] + between(r + 1, r);
  return times;
}
