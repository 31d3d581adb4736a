import { matmul, reshape, transpose } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";
import { OptionError } from "../errors.js";
import { cosPi, sinPi } from "../numerics/trigonometry.js";

/**
 * The lowest frequencies of real fields on a grid, in real arithmetic: along the last axis of the discrete Fourier
 * transform the first `modes`, along the others the first and the last `modes`. With so few, products with matrices of
 * cosines and sines cost no more than an FFT, for grids of any size.
 *
 * The last axis is transformed first, the inverse transforms it last. Numbers of one field before and after these products,
 * with K frequencies kept of an axis and two parts, real and imaginary, of each:
 *
 *     [x, y, z]  ->  [x, y, (2, Kz)]  ->  [x, (2, Ky), Kz]  ->  [(Kx, 2), Ky, Kz]
 *
 * A product reads (y, 2) and writes (2, Ky): the parts then stand behind the axis that comes next, and nothing is moved.
 */
export interface TruncatedFourier {
  readonly grid: readonly number[];
  /** Frequencies kept of each axis. */
  readonly kept: readonly number[];
  /** One matrix for each axis: [2 kept, 2 points], [2 kept, points] for the last axis. */
  readonly forward: readonly Tensor[];
  /** [2 points, 2 kept], [points, 2 kept] for the last axis. */
  readonly inverse: readonly Tensor[];
}

/** The largest number of modes that a grid can tell apart. */
export function mostModes(grid: readonly number[]): number {
  return Math.min(...grid.map((length, axis) => Math.floor(length / 2) + (axis + 1 === grid.length ? 1 : 0)));
}

/**
 * Refuses more modes than a grid has.
 *
 * @param padding points that are added to each axis
 */
export function checkModes(grid: readonly number[], modes: number, padding = 0): void {
  const most = mostModes(grid.map((length) => length + padding));
  if (modes > most)
    throw new OptionError(
      `a grid of ${grid.join(" x ")} points has at most ${most} modes, not ${modes}: use fewer (modes=${most}) or a finer grid`,
    );
}

/**
 * The transforms' matrices, with PyTorch's conventions for `rfftn` and `irfftn`: no factor forward, one over the number of
 * points backward, and imaginary parts that a real field cannot have (at frequency 0 and the Nyquist frequency of the last
 * axis) ignored.
 */
export function truncatedFourier(program: Program, grid: readonly number[], modes: number): TruncatedFourier {
  checkModes(grid, modes);
  const last = grid.length - 1;
  const points = grid.reduce((product, length) => product * length, 1);
  const kept = grid.map((_, axis) => (axis === last ? modes : 2 * modes));
  const matrix = (height: number, width: number, entry: (i: number, j: number) => number): Tensor => {
    const values = Float64Array.from({ length: height * width }, (_, at) =>
      entry(Math.floor(at / width), at % width),
    );
    return program.constant(values, [height, width]);
  };
  /** Entry of the real matrix of a complex factor: part `to` of the result from part `from` of the operand. */
  const entry = (turns: number, to: number, from: number): number =>
    to === from ? cosPi(2 * turns) : (to === 1 ? 1 : -1) * sinPi(2 * turns);
  const turn = (frequency: number, position: number, length: number): number =>
    ((frequency * position) % length) / length;
  /** Frequency and part of a row of a forward matrix: (frequency, part) of the first axis, (part, frequency) of others. */
  const frequencyAt = (axis: number, i: number): { readonly k: number; readonly part: number } => {
    const [at, part] = axis === 0 ? [i >> 1, i & 1] : [i % kept[axis], Math.floor(i / kept[axis])];
    return { k: at < modes ? at : at - 2 * modes, part };
  };
  const forward = (axis: number): Tensor => {
    const length = grid[axis];
    const isReal = axis === last;
    return matrix(2 * kept[axis], isReal ? length : 2 * length, (i, j) => {
      const { k, part } = frequencyAt(axis, i);
      return entry(-turn(k, isReal ? j : j >> 1, length), part, isReal ? 0 : j & 1);
    });
  };
  const inverse = (axis: number): Tensor => {
    const length = grid[axis];
    const isReal = axis === last;
    return matrix(isReal ? length : 2 * length, 2 * kept[axis], (i, j) => {
      const { k, part } = frequencyAt(axis, j);
      if (!isReal) return entry(turn(k, i >> 1, length), i & 1, part);
      const twice = k === 0 || 2 * k === length ? 1 : 2;
      return (twice / points) * entry(turn(k, i, length), 0, part);
    });
  };
  return {
    grid,
    kept,
    forward: grid.map((_, i) => forward(last - i)).reverse(),
    inverse: grid.map((_, axis) => inverse(axis)),
  };
}

/** Fields [..., ...grid, n] to their kept frequencies [..., frequencies, 2 parts, n], in C order of the axes. */
export function frequenciesOf({ grid, kept, forward }: TruncatedFourier, fields: Tensor): Tensor {
  const leading = fields.shape.slice(0, -(grid.length + 1));
  const n = fields.shape.at(-1)!;
  let x = fields;
  let behind = 1; // frequencies of the axes that are transformed
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    const before = grid.slice(0, axis);
    const rows = forward[axis].shape[1];
    x = matmul(forward[axis], reshape(x, [...leading, ...before, rows, behind * n]));
    if (axis > 0) behind *= kept[axis];
  }
  const apart = reshape(x, [...leading, kept[0], 2, behind, n]);
  return reshape(behind > 1 ? transpose(apart, [0, 2, 1, 3]) : apart, [...leading, kept[0] * behind, 2, n]);
}

/** Frequencies [..., frequencies, 2 parts, n] to fields [..., ...grid, n]. */
export function fieldsOf({ grid, kept, inverse }: TruncatedFourier, frequencies: Tensor): Tensor {
  const leading = frequencies.shape.slice(0, -3);
  const n = frequencies.shape.at(-1)!;
  let behind = kept.slice(1).reduce((product, count) => product * count, 1);
  const apart = reshape(frequencies, [...leading, kept[0], behind, 2, n]);
  let x = behind > 1 ? transpose(apart, [0, 2, 1, 3]) : apart;
  for (let axis = 0; axis < grid.length; axis++) {
    const before = grid.slice(0, axis);
    x = matmul(inverse[axis], reshape(x, [...leading, ...before, 2 * kept[axis], behind * n]));
    if (axis + 1 < grid.length) behind /= kept[axis + 1];
  }
  return x;
}
