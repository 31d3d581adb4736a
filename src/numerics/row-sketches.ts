import type { Items } from "./kernels/threads.js";
import type { Pointer, RowMatrix, RowSpan } from "./row-matrix.js";
import { symmetricEigen } from "./symmetric-eigen.js";

/** Coordinates of a sketch at most; the kernels' allowance for rounding holds up to there. */
const MOST_COORDINATES = 64;
/** Columns per coordinate at least, so that sketches take a small part of the memory of the rows. */
const COLUMNS_EACH = 32;
/** Rows, per coordinate, that the basis is made from, and their bytes at most. */
const SAMPLES_EACH = 3;
const SAMPLE_BYTES = 2 ** 26;
/** Directions with a smaller part of the variance of the first are rounding. */
const NEGLIGIBLE = 1e-10;
/** Rounding of inner products in float32. */
const ROUNDING = 1e-6;
const BLOCK = 16;

/**
 * Sketches of all rows of a matrix, from which bounds of distances follow (see assembly/sketch.ts): the coordinates of a
 * row along the principal directions of some rows. They spare reading rows that the matrix does not keep, and never
 * change a result.
 */
export class RowSketches {
  /** Sketches of rows 0, 1, ... */
  readonly at: Pointer;
  private readonly basis: Pointer;
  private ready = false;

  /** @param dims coordinates of a sketch, a multiple of 4 */
  constructor(
    private readonly matrix: RowMatrix,
    readonly dims: number,
  ) {
    this.at = matrix.allocate(matrix.rows * sketchBytes(dims));
    this.basis = matrix.allocate(dims * matrix.stride * 4);
  }

  /** Whether the sketches of all rows are there. */
  get isReady(): boolean {
    return this.ready;
  }

  /** Chooses the basis; `add` follows for all rows, then `finish`. */
  async chooseBasis(): Promise<void> {
    const { matrix, dims } = this;
    const { rows, columns, stride } = matrix;
    const count = sampleCount(rows, stride, dims);
    const samples = matrix.allocate(count * stride * 4);
    const products = matrix.allocate(count * count * 4);
    for (let i = 0; i < count; i++) {
      const place = samples + i * stride * 4;
      const found = await matrix.locate(Math.floor(((i + 0.5) * rows) / count), place);
      if (found !== place) matrix.floats(place, stride).set(matrix.floats(found, stride));
    }
    const sizes = [samples, stride * 4, samples, count, products, count * 4];
    await matrix.run("project", count, 1, ...sizes);
    const gram = Float64Array.from(matrix.floats(products, count * count));
    const directions = principalDirections(matrix.floats(samples, count * stride), gram, {
      count,
      columns,
      stride,
      dims,
    });
    directions.forEach((direction, k) => {
      matrix.floats(this.basis + k * stride * 4, columns).set(direction);
    });
    matrix.release(samples);
  }

  /** Sketches rows that lie in memory. */
  add(rows: RowSpan): Promise<void> {
    return this.sketch(rows, rows.base, this.at);
  }

  finish(): void {
    this.ready = true;
  }

  /** Writes the sketches of `count` vectors, which lie one after another like rows, to `out`. */
  of(vectors: Pointer, count: number, out: Pointer): Promise<void> {
    return this.sketch({ from: 0, to: count }, vectors, out);
  }

  private sketch(items: Items, rows: Pointer, out: Pointer): Promise<void> {
    const { matrix, basis, dims } = this;
    return matrix.runOn(items, "sketchRows", BLOCK, rows, matrix.stride * 4, basis, dims, out);
  }
}

/** Bytes of one sketch. */
export function sketchBytes(dims: number): number {
  return 16 + 4 * dims;
}

/** Bytes of the sketches of a matrix, with their basis. */
export function sketchesBytes(rows: number, stride: number, dims: number): number {
  return dims === 0 ? 0 : rows * sketchBytes(dims) + dims * stride * 4 + 128;
}

/** Bytes of working memory for the choice of a basis. */
export function basisBytes(rows: number, stride: number, dims: number): number {
  const count = sampleCount(rows, stride, dims);
  return count * stride * 4 + count * count * 4;
}

/**
 * Coordinates that sketches should have: 0 where rows are too short or too long for them to pay.
 * @param room bytes that the sketch of a row may take
 */
export function sketchCoordinates(columns: number, room = Number.POSITIVE_INFINITY): number {
  const affordable = Math.floor(SAMPLE_BYTES / (4 * columns) / SAMPLES_EACH);
  const fitting = Math.floor((room - sketchBytes(0)) / 4);
  const wanted = Math.min(MOST_COORDINATES, Math.floor(columns / COLUMNS_EACH), affordable, fitting);
  return Math.max(0, wanted - (wanted % 4));
}

/** Rows that a basis is made from, a multiple of 4. */
function sampleCount(rows: number, stride: number, dims: number): number {
  const affordable = Math.max(4, 4 * Math.floor(SAMPLE_BYTES / (stride * 16)));
  return Math.min(SAMPLES_EACH * dims, affordable, 4 * Math.ceil(rows / 4));
}

/** Orthonormal directions in which some rows vary most, by the eigenvectors of their inner products. */
function principalDirections(
  samples: Float32Array,
  gram: Float64Array,
  size: { readonly count: number; readonly columns: number; readonly stride: number; readonly dims: number },
): Float64Array[] {
  const { count, columns, stride, dims } = size;
  const largest = Math.max(...gram.filter((_, i) => i % (count + 1) === 0));
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) gram[i * count + j] = gram[j * count + i];
    gram[i * (count + 1)] += ROUNDING * largest; // Jacobi's method takes long where eigenvalues are rounding
  }
  const { values, vectors } = symmetricEigen(gram, count);
  const order = Array.from(values.keys()).sort((a, b) => values[b] - values[a]);
  const directions: Float64Array[] = [];
  for (const m of order.slice(0, dims)) {
    const direction = new Float64Array(columns);
    for (let i = 0; i < count; i++) {
      const weight = vectors[m * count + i];
      for (let j = 0; j < columns; j++) direction[j] += weight * samples[i * stride + j];
    }
    if (orthonormalise(direction, directions) > NEGLIGIBLE * largest) directions.push(direction);
  }
  return directions;
}

/** Takes other directions out of one, twice for full precision, and gives it length 1; returns its squared length before. */
function orthonormalise(direction: Float64Array, others: readonly Float64Array[]): number {
  for (let turn = 0; turn < 2; turn++)
    for (const other of others) {
      const along = dot(direction, other);
      for (let j = 0; j < direction.length; j++) direction[j] -= along * other[j];
    }
  const square = dot(direction, direction);
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let j = 0; j < direction.length; j++) direction[j] *= factor;
  return square;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
