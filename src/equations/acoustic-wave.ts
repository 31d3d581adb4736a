import { exp, log } from "../numerics/elementary.js";
import { waveKernel } from "../numerics/kernels/wave-kernel.js";
import { waveWindows } from "./wave-reach.js";

/** A line of receivers in layered rock: lengths in m, times in s. The defaults are those of the flat-velocity task. */
export interface AcousticWaveOptions {
  /** Rows of depth and columns between the sponges; columns in an even number. */
  readonly rows?: number;
  readonly columns?: number;
  readonly spacing?: number;
  readonly timeStep?: number;
  /** Samples of a trace: entry n is the pressure at time (n + 1) `timeStep`. */
  readonly steps?: number;
  /** Cells of damping on every side, the top included: there is no free surface. */
  readonly sponge?: number;
  /** The row of the source and of the receivers, which stand in every column. */
  readonly row?: number;
  /** The source at time n `timeStep`. */
  readonly wavelet?: Float64Array;
  /** The field is symmetric about column 0, where the source stands: only half of it is computed. */
  readonly mirror?: boolean;
  /** Computes every cell at every step, those included that no receiver can tell from zero. */
  readonly everywhere?: boolean;
}

/** Pressure at the receivers [steps, columns] of a shot in `source`'s column; `velocities` has m/s by row. */
export type AcousticWaveSolver = (velocities: Float64Array, source: number) => Float64Array;

/** The peak frequency of the flat-velocity task's source in Hz. */
const FREQUENCY = 15;

/** The largest stable c timeStep / spacing, sqrt(3/8), rounded down. */
const STABLE = 0.6123;

/** What the sponge leaves of the energy of a wave that runs straight to its end and back. */
const SPONGE_REMAINDER = 1e-7;

/**
 * laplace p - p_tt / c^2 = -s in flat layers, damped in a sponge around them: second order in time, fourth in space.
 * The source is one node of the grid, a line in space. Speeds at the edges continue into the sponge. In its corners the
 * stronger of both dampings holds: with that of the columns alone, waves run up and down beside the edge undamped,
 * and 1% of the source's peak returns from the end of the grid.
 */
export function acousticWaveSolver(options: AcousticWaveOptions = {}): AcousticWaveSolver {
  const {
    rows = 70,
    columns = 70,
    spacing = 10,
    timeStep = 1e-3,
    steps = 1000,
    sponge = 120,
    row = 1,
  } = options;
  const { wavelet = rickerWavelet(FREQUENCY, timeStep), mirror = false, everywhere = false } = options;
  const left = mirror ? 0 : sponge;
  const grid = { rows: rows + 2 * sponge, columns: left + columns + sponge };
  const kernel = waveKernel({ ...grid, mirror });
  const firstReceiver = kernel.origin + (sponge + row) * kernel.stride + left;

  return (velocities, source) => {
    if (velocities.length !== rows) throw new RangeError(`${velocities.length} velocities for ${rows} rows`);
    if (mirror && source !== 0) throw new RangeError(`a source in column ${source} is not on the mirror`);
    const fastest = Math.max(...velocities);
    if (fastest * timeStep > STABLE * spacing) {
      throw new RangeError(`${fastest} m/s is too fast for steps of ${timeStep} s on a grid of ${spacing} m`);
    }
    const padded = Float64Array.from({ length: grid.rows }, (_, r) => {
      return velocities[Math.min(Math.max(r - sponge, 0), rows - 1)];
    });
    kernel.courants.set(padded.map((c) => square((c * timeStep) / spacing)));
    const largest = largestDamping(Math.min(...velocities), (sponge - 1) * spacing) * timeStep;
    kernel.rowKeeps.set(spongeKeeps(sponge, rows, sponge, largest));
    kernel.columnKeeps.set(spongeKeeps(left, columns, sponge, largest));
    for (const field of kernel.fields) field.fill(0);

    const whole = { firstRow: 0, endRow: grid.rows, firstColumn: 0, endColumn: grid.columns };
    const windowAt = everywhere
      ? () => whole
      : waveWindows({
          velocities: padded,
          columns: grid.columns,
          spacing,
          timeStep,
          steps,
          row: sponge + row,
          source: left + source,
          receivers: [left, left + columns - 1],
        });
    const strength = square(velocities[row] * timeStep);
    const traces = new Float64Array(steps * columns);
    for (let n = 0; n < steps; n++) {
      const now = n % 2 === 0 ? 0 : 1;
      kernel.step(now, windowAt(n));
      const next = kernel.fields[1 - now];
      if (n < wavelet.length) next[firstReceiver + source] += strength * wavelet[n];
      traces.set(next.subarray(firstReceiver, firstReceiver + columns), n * columns);
    }
    return traces;
  };
}

/** (1 - 2b) e^-b, b = (pi f t)^2, of a peak frequency f in Hz, 2.2 periods long with its peak in the middle. */
export function rickerWavelet(frequency: number, timeStep: number): Float64Array {
  const half = Math.floor(2.2 / frequency / timeStep / 2);
  return Float64Array.from({ length: 2 * half + 1 }, (_, k) => {
    const b = square(Math.PI * frequency * (k - half) * timeStep);
    return (1 - 2 * b) * exp(-b);
  });
}

/** In 1/s, at the outer end of a sponge of this width in m. */
function largestDamping(slowest: number, width: number): number {
  return (-3 * slowest * log(SPONGE_REMAINDER)) / (2 * width);
}

/**
 * What is left of dp/dt after a step along one axis: a sponge of `before` cells, `inner` cells without, a sponge of
 * `after` cells. The loss grows from 0 with the square of the number of cells inwards to `largest`.
 */
function spongeKeeps(before: number, inner: number, after: number, largest: number): Float64Array {
  return Float64Array.from({ length: before + inner + after }, (_, i) => {
    const depth = Math.max(before - 1 - i, i - before - inner);
    return depth <= 0 ? 1 : 1 - largest * square(depth / (after - 1));
  });
}

/** Not `** 2`, whose last bit the language leaves open. */
function square(x: number): number {
  return x * x;
}
