/**
 * The matrix of -div(a grad u) by finite volumes on size x size cells, as conductances of faces: row k of A u is
 * the sum over the four faces of conductance (u_k - u_neighbour), so that A is symmetric by construction.
 *
 * Fields carry a ring of one cell on every side that stays zero: cell (i, j), counted from 0, is entry
 * (i + 1) stride + j + 1. A face to the ring ties its cell to the value 0 with whatever conductance it has.
 */
export interface FivePoint {
  /** Cells a side. */
  readonly size: number;
  /** Entries from a row to the next, size + 2. */
  readonly stride: number;
  /** Of the face between entries k and k + stride. */
  readonly down: Float64Array;
  /** Of the face between entries k and k + 1. */
  readonly right: Float64Array;
  /** The sum over a cell's four faces, and 1 over it; zero in the ring. */
  readonly diagonal: Float64Array;
  readonly inverse: Float64Array;
}

/** The matrix of the given face conductances, in the layout of `FivePoint`. */
export function fivePoint(size: number, down: Float64Array, right: Float64Array): FivePoint {
  const stride = size + 2;
  const diagonal = emptyField(size);
  const inverse = emptyField(size);
  for (let i = 1; i <= size; i++) {
    for (let k = i * stride + 1; k <= i * stride + size; k++) {
      diagonal[k] = down[k - stride] + down[k] + (right[k - 1] + right[k]);
      inverse[k] = 1 / diagonal[k];
    }
  }
  return { size, stride, down, right, diagonal, inverse };
}

/** Zeros in the layout of a field. */
export function emptyField(size: number): Float64Array {
  return new Float64Array((size + 2) * (size + 2));
}

/** size x size values with the ring of zeros around them. */
export function withRing(values: ArrayLike<number>, size: number): Float64Array {
  const field = emptyField(size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) field[(i + 1) * (size + 2) + j + 1] = values[i * size + j];
  }
  return field;
}

/** The size x size values inside the ring. */
export function withoutRing(field: Float64Array, size: number): Float64Array {
  const values = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const start = (i + 1) * (size + 2) + 1;
    values.set(field.subarray(start, start + size), i * size);
  }
  return values;
}

/** out = A u. */
export function multiply(matrix: FivePoint, u: Float64Array, out: Float64Array): void {
  const { size, stride, down, right, diagonal } = matrix;
  for (let i = 1; i <= size; i++) {
    for (let k = i * stride + 1; k <= i * stride + size; k++) {
      out[k] =
        diagonal[k] * u[k] -
        (down[k - stride] * u[k - stride] + down[k] * u[k + stride]) -
        (right[k - 1] * u[k - 1] + right[k] * u[k + 1]);
    }
  }
}

/** out = f - A u. */
export function residual(matrix: FivePoint, f: Float64Array, u: Float64Array, out: Float64Array): void {
  const { size, stride, down, right, diagonal } = matrix;
  for (let i = 1; i <= size; i++) {
    for (let k = i * stride + 1; k <= i * stride + size; k++) {
      out[k] =
        f[k] -
        diagonal[k] * u[k] +
        (down[k - stride] * u[k - stride] + down[k] * u[k + stride]) +
        (right[k - 1] * u[k - 1] + right[k] * u[k + 1]);
    }
  }
}

/** Solves the equations of the cells with i + j of the given parity for their own values, in place: half a sweep. */
export function relaxColour(matrix: FivePoint, f: Float64Array, u: Float64Array, parity: number): void {
  const { size, stride, down, right, inverse } = matrix;
  for (let i = 1; i <= size; i++) {
    for (let k = i * stride + 1 + ((i + 1 + parity) & 1); k <= i * stride + size; k += 2) {
      u[k] =
        inverse[k] *
        (f[k] +
          (down[k - stride] * u[k - stride] + down[k] * u[k + stride]) +
          (right[k - 1] * u[k - 1] + right[k] * u[k + 1]));
    }
  }
}
