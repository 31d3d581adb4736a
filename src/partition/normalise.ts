import { type Fields, fieldSize, positionOf } from "../datasets/fields.js";
import { DataError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { createRowMatrix, type Pointer, type RowMatrix } from "../numerics/row-matrix.js";

/** Bytes that a slice of samples takes in float64. It decides the order of sums: a constant of the method. */
const SLICE_BYTES = 2 ** 24;
/** A scale this small beside the mean is what rounding leaves of equal responses. */
const ROUNDING = 1e-13;
/** A sum of squares below this has lost those that were too small to be numbers. */
const UNDERFLOW = 1e-280;
/** Scales from the mean up to which squares of float32 differences are safe from overflow. */
const FARTHEST = 1e18;
/** Samples that a thread takes at a time. */
const BLOCK = 4;

export interface Normalisation {
  /** Mean response, u-bar. */
  readonly mean: Float64Array;
  /** The one scale of all coordinates, s_u. */
  readonly scale: number;
}

export interface NormalisedResponses extends Normalisation {
  /** One normalised response a row. Close it when done with it. */
  readonly matrix: RowMatrix;
  /** Shape of one response. */
  readonly shape: readonly number[];
}

export interface NormaliseOptions {
  /** Threads for this and all later work on the matrix; the caller's alone unless given. */
  readonly threads?: Threads;
  /** Called with the fraction that is done. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Responses minus their mean, over one global scale, in float32 (eq:response-normalization). Memory: the
 * float32 rows and a slice of 16 MB. A float32 source is read once, a float64 one twice.
 */
export async function normaliseResponses(
  fields: Fields,
  options: NormaliseOptions = {},
): Promise<NormalisedResponses> {
  return withMatrix(fields, options, async (slices) => {
    const normalisation = await moments(slices, (done) => options.onProgress?.(done / 2));
    await normalise(slices, normalisation, true, (done) => options.onProgress?.((1 + done) / 2));
    return normalisation;
  });
}

/** Responses under a mean and scale that others gave: those of bins that are used again. */
export async function applyNormalisation(
  fields: Fields,
  normalisation: Normalisation,
  options: NormaliseOptions = {},
): Promise<NormalisedResponses> {
  const size = fieldSize(fields);
  if (normalisation.mean.length !== size) {
    throw new DataError(
      `the responses have ${size} numbers each, those of the fitted bins ${normalisation.mean.length}`,
    );
  }
  return withMatrix(fields, options, async (slices) => {
    await normalise(slices, normalisation, false, (done) => options.onProgress?.(done));
    return normalisation;
  });
}

/** What reads the samples into memory, slice by slice: float32 to their rows, float64 beside them. */
interface Slices {
  readonly fields: Fields;
  readonly matrix: RowMatrix;
  readonly bits: 32 | 64;
  /** Samples of a slice. */
  readonly length: number;
  /** Reads samples `start` to `end - 1` and says where they are. */
  read(start: number, end: number): Promise<Pointer>;
}

async function withMatrix(
  fields: Fields,
  options: NormaliseOptions,
  work: (slices: Slices) => Promise<Normalisation>,
): Promise<NormalisedResponses> {
  const size = fieldSize(fields);
  if (fields.samples === 0 || size === 0) {
    throw new DataError(`no responses: ${fields.samples} samples of shape [${fields.shape.join(", ")}]`);
  }
  const matrix = await createRowMatrix(fields.samples, size, options.threads);
  try {
    const mark = matrix.allocate(0);
    const { mean, scale } = await work(openSlices(fields, matrix));
    matrix.release(mark);
    return { matrix, mean, scale, shape: fields.shape };
  } catch (error) {
    await matrix.close();
    throw error;
  }
}

function openSlices(fields: Fields, matrix: RowMatrix): Slices {
  const { columns, stride } = matrix;
  const bits = fields.dtype === "float32" ? 32 : 64;
  const length = Math.min(fields.samples, Math.max(1, Math.floor(SLICE_BYTES / (8 * columns))));
  const beside = bits === 64 ? matrix.allocate(length * stride * 8) : 0;
  return {
    fields,
    matrix,
    bits,
    length,
    async read(start, end) {
      const values = await fields.read(start, end);
      const at = beside || matrix.data + start * stride * 4;
      const numbers = (end - start) * stride;
      const target = bits === 64 ? matrix.doubles(at, numbers) : matrix.floats(at, numbers);
      if (columns === stride) target.set(values);
      else {
        for (let i = 0; i < end - start; i++) {
          target.set(values.subarray(i * columns, (i + 1) * columns), i * stride);
        }
      }
      return at;
    },
  };
}

/**
 * Mean and scale in one pass: both of every slice about its own mean, joined by the update of Chan, Golub and
 * LeVeque (1979), which loses no digits however large the mean is.
 */
async function moments(slices: Slices, progress: (fraction: number) => void): Promise<Normalisation> {
  const { fields, matrix, bits, length } = slices;
  const { columns, stride } = matrix;
  const sliceMean = matrix.allocate(stride * 8);
  const squares = matrix.allocate(length * 8);
  const mean = new Float64Array(columns);
  let deviation = 0; // the sum of squared distances from the mean of the samples so far
  for (let start = 0; start < fields.samples; start += length) {
    const end = Math.min(start + length, fields.samples);
    const count = end - start;
    const rows = await slices.read(start, end);
    const sums = matrix.doubles(sliceMean, stride).fill(0);
    await matrix.run(`addColumns${bits}`, stride / 8, 64, rows, count, stride, sliceMean);
    for (let j = 0; j < columns; j++) sums[j] /= count;
    await matrix.run(`deviations${bits}`, count, BLOCK, rows, stride, sliceMean, 0, squares);
    let shift = 0;
    for (let j = 0; j < columns; j++) {
      const difference = sums[j] - mean[j];
      shift += difference * difference;
      mean[j] += difference * (count / end);
    }
    for (const square of matrix.doubles(squares, count)) deviation += square;
    deviation += shift * ((start * count) / end);
    if (!Number.isFinite(deviation)) throw await unusable(fields, start, end);
    progress(end / fields.samples);
  }
  const scale = Math.sqrt(deviation / fields.samples);
  const size = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  if (deviation < UNDERFLOW && !(await areEqual(fields, length))) {
    throw new DataError(
      `the responses differ by so little (s_u below ${Math.sqrt(UNDERFLOW).toExponential(0)}) that squares of ` +
        "differences underflow: give them in a smaller unit, or multiply them all by a power of ten",
    );
  }
  if (!(scale > ROUNDING * size)) {
    throw new DataError(
      `all ${fields.samples} responses are equal (s_u = 0): there is nothing to divide into bins`,
    );
  }
  return { mean, scale };
}

/** Whether all responses are the same, number by number. */
async function areEqual(fields: Fields, step: number): Promise<boolean> {
  const first = (await fields.read(0, 1)).slice();
  for (let start = 0; start < fields.samples; start += step) {
    const values = await fields.read(start, Math.min(start + step, fields.samples));
    if (values.some((value, i) => value !== first[i % first.length])) return false;
  }
  return true;
}

/**
 * `fitted`: the samples went through `moments`, so that float32 rows are in place and all are known to be
 * finite.
 */
async function normalise(
  slices: Slices,
  { mean, scale }: Normalisation,
  fitted: boolean,
  progress: (fraction: number) => void,
): Promise<void> {
  const { fields, matrix, bits, length } = slices;
  const { stride, data } = matrix;
  const centre = matrix.allocate(stride * 8);
  const squares = matrix.allocate(length * 8);
  matrix.doubles(centre, stride).set(mean);
  for (let start = 0; start < fields.samples; start += length) {
    const end = Math.min(start + length, fields.samples);
    const out = data + start * stride * 4;
    const rows = fitted && bits === 32 ? out : await slices.read(start, end);
    if (!fitted) {
      await matrix.run(`deviations${bits}`, end - start, BLOCK, rows, stride, centre, 0, squares);
      const largest = matrix.doubles(squares, end - start).reduce((a, b) => Math.max(a, b));
      if (!(Math.sqrt(largest) < FARTHEST * scale)) throw await unusable(fields, start, end);
    }
    await matrix.run(`normalise${bits}`, end - start, BLOCK, rows, stride, centre, scale, out);
    progress(end / fields.samples);
  }
}

/** Why samples `start` to `end - 1` cannot be worked with. */
async function unusable(fields: Fields, start: number, end: number): Promise<DataError> {
  const values = await fields.read(start, end);
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) {
    return new DataError(
      `samples ${start} to ${end - 1} are too far from the mean for their distances to be numbers`,
    );
  }
  const size = fieldSize(fields);
  const position = positionOf(fields, at % size).join(", ");
  const where = `sample ${start + Math.floor(at / size)}, position [${position}]`;
  return new DataError(`responses must be finite, and there is ${values[at]} in ${where}`);
}
