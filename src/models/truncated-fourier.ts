import { matmul, reshape, transpose } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";
import { OptionError } from "../errors.js";
import { cosPi, sinPi } from "../numerics/trigonometry.js";

/**
 * The lowest frequencies of real fields on a grid, in real arithmetic: of the discrete Fourier transform's rows the
 * first and the last `modes`, of its columns the first `modes`. With so few, products with matrices of cosines and
 * sines cost no more than an FFT, for grids of any size.
 */
export interface TruncatedFourier {
  /** [2 modes, columns]: real parts of the kept columns, then imaginary ones. */
  readonly columns: Tensor;
  /** [4 modes, 2 rows]: real and imaginary part of each kept row from real and imaginary part of each row. */
  readonly rows: Tensor;
  /** [2 rows, 4 modes] */
  readonly inverseRows: Tensor;
  /** [columns, 2 modes] */
  readonly inverseColumns: Tensor;
}

/** The largest number of modes that a grid can tell apart. */
export function mostModes([rows, columns]: readonly [number, number]): number {
  return Math.min(Math.floor(rows / 2), Math.floor(columns / 2) + 1);
}

/**
 * The transforms' matrices, with PyTorch's conventions for `rfft2` and `irfft2`: no factor forward, 1 / (rows columns)
 * backward, and imaginary parts that a real field cannot have (of column 0 and of the Nyquist column) ignored.
 */
export function truncatedFourier(
  program: Program,
  grid: readonly [rows: number, columns: number],
  modes: number,
): TruncatedFourier {
  const [rows, columns] = grid;
  if (modes > mostModes(grid))
    throw new OptionError(
      `a grid of ${rows} x ${columns} points has ${mostModes(grid)} modes at most, not ${modes}; take fewer modes or a finer grid`,
    );
  const frequencies = Array.from({ length: 2 * modes }, (_, k) => (k < modes ? k : k - 2 * modes));
  const matrix = (height: number, width: number, entry: (i: number, j: number) => number): Tensor => {
    const values = Float64Array.from({ length: height * width }, (_, at) =>
      entry(Math.floor(at / width), at % width),
    );
    return program.constant(values, [height, width]);
  };
  /** Entry of the real matrix of a complex factor: part `to` of the result from part `from` of the operand. */
  const part = (turns: number, to: number, from: number): number =>
    to === from ? cosPi(2 * turns) : (to === 1 ? 1 : -1) * sinPi(2 * turns);
  const turn = (frequency: number, position: number, length: number): number =>
    ((frequency * position) % length) / length;
  const twice = (k: number): number => (k === 0 || 2 * k === columns ? 1 : 2);
  return {
    columns: matrix(2 * modes, columns, (i, x) =>
      part(-turn(i % modes, x, columns), Math.floor(i / modes), 0),
    ),
    rows: matrix(4 * modes, 2 * rows, (i, j) => part(-turn(frequencies[i >> 1], j >> 1, rows), i & 1, j & 1)),
    inverseRows: matrix(2 * rows, 4 * modes, (i, j) =>
      part(turn(frequencies[j >> 1], i >> 1, rows), i & 1, j & 1),
    ),
    inverseColumns: matrix(
      columns,
      2 * modes,
      (x, j) =>
        (twice(j % modes) / (rows * columns)) * part(turn(j % modes, x, columns), 0, Math.floor(j / modes)),
    ),
  };
}

/** Fields [..., rows, columns, n] to their kept frequencies [..., 2 modes x modes, 2 parts, n]. */
export function frequenciesOf(fourier: TruncatedFourier, fields: Tensor): Tensor {
  const leading = fields.shape.slice(0, -3);
  const [rows, , n] = fields.shape.slice(-3);
  const modes = fourier.columns.shape[0] / 2;
  const partial = reshape(matmul(fourier.columns, fields), [...leading, 2 * rows, modes * n]);
  const apart = reshape(matmul(fourier.rows, partial), [...leading, 2 * modes, 2, modes, n]);
  return reshape(transpose(apart, [0, 2, 1, 3]), [...leading, 2 * modes * modes, 2, n]);
}

/** Frequencies [..., 2 modes x modes, 2 parts, n] to fields [..., rows, columns, n]. */
export function fieldsOf(fourier: TruncatedFourier, frequencies: Tensor): Tensor {
  const leading = frequencies.shape.slice(0, -3);
  const n = frequencies.shape.at(-1)!;
  const modes = fourier.columns.shape[0] / 2;
  const rows = fourier.inverseRows.shape[0] / 2;
  const apart = transpose(reshape(frequencies, [...leading, 2 * modes, modes, 2, n]), [0, 2, 1, 3]);
  const partial = matmul(fourier.inverseRows, reshape(apart, [...leading, 4 * modes, modes * n]));
  return matmul(fourier.inverseColumns, reshape(partial, [...leading, rows, 2 * modes, n]));
}
