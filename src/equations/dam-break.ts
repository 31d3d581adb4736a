import { OptionError } from "../errors.js";
import type { Stream } from "../random/stream.js";
import { shallowWaterSolver } from "./shallow-water.js";

export type DamBreakParameters = {
  /** Cells a side, 8 or more. */
  readonly grid: number;
  /** The time at which the response is taken. Up to 1.3 no wave has reached the boundary. */
  readonly time: number;
};

export const DAM_BREAK_DEFAULTS: DamBreakParameters = { grid: 128, time: 1 };

/** h, hu, hv one after the other, each at x_i, y_j at entry grid i + j: at rest, and after `time`. */
export interface DamBreakSample {
  readonly input: Float32Array;
  readonly response: Float32Array;
}

const HALF_WIDTH = 2.5;
const INSIDE = 2;
const OUTSIDE = 1;

/**
 * A round dam bursts: shallow water on [-2.5, 2.5]^2 with g = 1, at rest, of depth 2 within a radius around the middle
 * and 1 outside. The radius, uniform in (0.3, 0.7), is all that differs between samples.
 */
export function damBreakSampler(
  parameters: Partial<DamBreakParameters> = {},
): (random: Stream) => DamBreakSample {
  const { grid, time } = checkDamBreak({ ...DAM_BREAK_DEFAULTS, ...parameters });
  return (random) => {
    const depth = damDepth(0.3 + 0.4 * random.uniform(), grid);
    const input = new Float32Array(3 * grid * grid);
    input.set(depth);
    return { input, response: Float32Array.from(symmetricDamBreak(depth, grid, time)) };
  };
}

/** Depth at the centres of cells: 2 up to the radius, 1 beyond. */
export function damDepth(radius: number, grid: number): Float64Array {
  const { x, y } = damBreakCoordinates({ grid });
  const depth = new Float64Array(grid * grid);
  x.forEach((xi, i) => {
    y.forEach((yj, j) => {
      depth[i * grid + j] = xi * xi + yj * yj <= radius * radius ? INSIDE : OUTSIDE;
    });
  });
  return depth;
}

/** h, hu and hv after `time` for water that is at rest with this depth on grid x grid cells. */
export function damBreak(depth: Float64Array, grid: number, time: number): Float64Array {
  return advanceDepth(depth, grid, (2 * HALF_WIDTH) / grid, time, false);
}

/**
 * The same for a depth that is even in x and in y, from a quarter of the cells. An odd number of cells has no axis
 * between cells and is computed as a whole.
 */
export function symmetricDamBreak(depth: Float64Array, grid: number, time: number): Float64Array {
  if (grid % 2 === 1) return damBreak(depth, grid, time);
  const half = grid / 2;
  const quarter = new Float64Array(half * half);
  for (let i = 0; i < half; i++) {
    const from = (half + i) * grid + half;
    quarter.set(depth.subarray(from, from + half), i * half);
  }
  const solution = advanceDepth(quarter, half, (2 * HALF_WIDTH) / grid, time, true);
  const result = new Float64Array(3 * grid * grid);
  for (let channel = 0, to = 0; channel < 3; channel++) {
    for (let i = 0; i < grid; i++) {
      const row = (channel * half + (i < half ? half - 1 - i : i - half)) * half;
      for (let j = 0; j < grid; j++, to++) {
        const value = solution[row + (j < half ? half - 1 - j : j - half)];
        const turned = (channel === 1 && i < half) || (channel === 2 && j < half);
        result[to] = turned ? 0 - value : value; // not -value, which makes zeros negative
      }
    }
  }
  return result;
}

function advanceDepth(depth: Float64Array, size: number, spacing: number, time: number, mirror: boolean) {
  const { stride, state, advance } = shallowWaterSolver({ rows: size, columns: size, spacing, mirror });
  const entryOf = (i: number) => (i + 2) * stride + 2;
  for (let i = 0; i < size; i++) state.h.set(depth.subarray(i * size, (i + 1) * size), entryOf(i));
  advance(time);
  const result = new Float64Array(3 * size * size);
  [state.h, state.hu, state.hv].forEach((field, channel) => {
    for (let i = 0; i < size; i++) {
      result.set(field.subarray(entryOf(i), entryOf(i) + size), (channel * size + i) * size);
    }
  });
  return result;
}

/** Throws where the parameters make no sense, and returns them. */
export function checkDamBreak(parameters: DamBreakParameters): DamBreakParameters {
  const { grid, time } = parameters;
  if (!Number.isSafeInteger(grid) || grid < 8 || grid > 4096) {
    throw new OptionError(`grid ${grid} is not a whole number from 8 to 4096`);
  }
  if (!(time > 0 && time <= 100)) throw new OptionError(`time ${time} is not between 0 and 100`);
  return parameters;
}

/** Shapes of a sample's input and response: channels h, hu, hv, then rows along x and columns along y. */
export function damBreakShapes({ grid }: Pick<DamBreakParameters, "grid">) {
  return { input: [3, grid, grid], response: [3, grid, grid] } as const;
}

/** Centres of cells, symmetric about 0 to the last bit. */
export function damBreakCoordinates({ grid }: Pick<DamBreakParameters, "grid">) {
  const centres = Float64Array.from({ length: grid }, (_, i) => ((2 * i + 1 - grid) * HALF_WIDTH) / grid);
  return { x: centres, y: centres.slice() } as const;
}
