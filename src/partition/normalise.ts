import { type Fields, fieldSize, positionOf } from "../datasets/fields.js";
import { DataError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { readAhead } from "../numerics/read-ahead.js";
import { createRowMatrix, type Pointer, type RowMatrix } from "../numerics/row-matrix.js";
import { paddedColumns, type RowStorage, rowStorage } from "../numerics/row-storage.js";
import { memoryBytes } from "./memory-options.js";

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
  /**
   * One normalised response per row. Close it after use; until then it may read the fields again, for rows that it does
   * not keep in memory.
   */
  readonly matrix: RowMatrix;
  /** Shape of one response. */
  readonly shape: readonly number[];
  /** What the rows are called where they are not the responses themselves. */
  readonly what?: string;
}

export interface NormaliseOptions {
  /** Threads for this and all later work on the matrix; the caller's alone unless given. */
  readonly threads?: Threads;
  /** How many rows are kept in memory; by default as many as fit into 4 GB. The results do not depend on it. */
  readonly storage?: RowStorage;
  /** Called with the fraction that is done. */
  readonly onProgress?: (fraction: number) => void;
  /** What the rows are called in messages; `responses` unless told otherwise. */
  readonly what?: string;
}

/**
 * Responses minus their mean, over one global scale, in float32 (eq:response-normalization). Memory: the
 * float32 rows that the storage keeps and two slices of 16 MB. A float32 source is read once, a float64 one twice.
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

/** Responses normalised by a given mean and scale, for bins that are reused. */
export async function applyNormalisation(
  fields: Fields,
  normalisation: Normalisation,
  options: NormaliseOptions = {},
): Promise<NormalisedResponses> {
  const size = fieldSize(fields);
  if (normalisation.mean.length !== size) {
    throw new DataError(
      `the ${options.what ?? "responses"} have ${size} numbers each, those of the fitted bins ${normalisation.mean.length}`,
    );
  }
  return withMatrix(fields, options, async (slices) => {
    await normalise(slices, normalisation, false, (done) => options.onProgress?.(done));
    return normalisation;
  });
}

/** The storage of normalised fields in a process that may take `memory` bytes, of which others need `besides`. */
export function storageOf(fields: Fields, memory: number, besides = 0): RowStorage {
  const columns = fieldSize(fields);
  const slices = 2 * sliceLength(fields) * paddedColumns(columns) * 8;
  return rowStorage(fields.samples, columns, memory - besides, slices);
}

/** Samples of a slice. */
function sliceLength(fields: Fields): number {
  return Math.min(fields.samples, Math.max(1, Math.floor(SLICE_BYTES / (8 * fieldSize(fields)))));
}

/** What reads the samples into memory, slice by slice: float32 to their rows if these are kept, others beside them. */
interface Slices {
  readonly fields: Fields;
  readonly what: string;
  readonly matrix: RowMatrix;
  readonly bits: 32 | 64;
  /** Samples of a slice. */
  readonly length: number;
  /** Samples 0 to `end - 1` in order. A slice is good until the next but one is asked for. */
  read(end: number): AsyncIterable<readonly [slice: Slice, rows: Pointer]>;
}

interface Slice {
  readonly start: number;
  readonly end: number;
  /** Which of the two places beside the rows it may take. */
  readonly place: number;
}

async function withMatrix(
  fields: Fields,
  options: NormaliseOptions,
  work: (slices: Slices) => Promise<Normalisation>,
): Promise<NormalisedResponses> {
  const size = fieldSize(fields);
  const { what } = options;
  if (fields.samples === 0 || size === 0) {
    throw new DataError(
      `no ${what ?? "responses"}: ${fields.samples} samples of shape [${fields.shape.join(", ")}]`,
    );
  }
  const storage = options.storage ?? storageOf(fields, memoryBytes());
  const matrix = await createRowMatrix(fields.samples, size, options.threads, storage);
  try {
    const mark = matrix.allocate(0);
    const slices = openSlices(fields, matrix, what);
    const { mean, scale } = await work(slices);
    matrix.release(mark);
    matrix.attach({ bits: slices.bits, read: (start, end) => fields.read(start, end), mean, scale });
    return { matrix, mean, scale, shape: fields.shape, ...(what !== undefined && { what }) };
  } catch (error) {
    await matrix.close();
    throw error;
  }
}

function openSlices(fields: Fields, matrix: RowMatrix, what = "responses"): Slices {
  const { stride, resident } = matrix;
  const bits = fields.dtype === "float32" ? 32 : 64;
  const length = sliceLength(fields);
  const isInPlace = bits === 32 && resident === fields.samples;
  const beside = [0, 1].map(() => (isInPlace ? 0 : matrix.allocate((length * stride * bits) / 8)));
  return {
    fields,
    what,
    matrix,
    bits,
    length,
    read: (end) =>
      readAhead(slicesOf(end, length), async (slice) => {
        const values = await fields.read(slice.start, slice.end);
        const own = matrix.data + slice.start * stride * 4;
        const at = bits === 32 && slice.end <= resident ? own : beside[slice.place];
        matrix.put(at, bits, values);
        // The slice in which the kept rows end lies in both places.
        if (at !== own && bits === 32 && slice.start < resident)
          matrix.put(own, bits, values.subarray(0, (resident - slice.start) * matrix.columns));
        return at;
      }),
  };
}

function* slicesOf(end: number, length: number): Generator<Slice> {
  for (let start = 0, place = 0; start < end; start += length, place = 1 - place)
    yield { start, end: Math.min(start + length, end), place };
}

/**
 * Mean and scale in one pass: both of every slice about its own mean, joined by the update of Chan, Golub and
 * LeVeque (1979), which loses no digits however large the mean is.
 */
async function moments(slices: Slices, progress: (fraction: number) => void): Promise<Normalisation> {
  const { fields, what, matrix, bits, length } = slices;
  const { columns, stride } = matrix;
  const sliceMean = matrix.allocate(stride * 8);
  const squares = matrix.allocate(length * 8);
  const mean = new Float64Array(columns);
  let deviation = 0; // the sum of squared distances from the mean of the samples so far
  for await (const [{ start, end }, rows] of slices.read(fields.samples)) {
    const count = end - start;
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
    if (!Number.isFinite(deviation)) throw await unusable(fields, start, end, what);
    progress(end / fields.samples);
  }
  const scale = Math.sqrt(deviation / fields.samples);
  const size = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  if (deviation < UNDERFLOW && !(await areEqual(fields, length))) {
    throw new DataError(
      `the ${what} differ so little (s_u below ${Math.sqrt(UNDERFLOW).toExponential(0)}) that squares of ` +
        "differences underflow: use a smaller unit, or multiply them all by a power of ten",
    );
  }
  if (!(scale > ROUNDING * size)) {
    throw new DataError(
      `all ${fields.samples} ${what} are equal (s_u = 0): there is nothing to divide into bins`,
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
 * Normalises the rows that are kept. `fitted`: the samples went through `moments`, so that float32 rows are in place and
 * all are known to be finite.
 */
async function normalise(
  slices: Slices,
  { mean, scale }: Normalisation,
  fitted: boolean,
  progress: (fraction: number) => void,
): Promise<void> {
  const { fields, what, matrix, bits, length } = slices;
  const { stride, data, resident } = matrix;
  const centre = matrix.allocate(stride * 8);
  const squares = matrix.allocate(length * 8);
  matrix.doubles(centre, stride).set(mean);
  const last = fitted ? resident : fields.samples;
  const own = (slice: Slice) => [slice, data + slice.start * stride * 4] as const;
  const found = fitted && bits === 32 ? [...slicesOf(last, length)].map(own) : slices.read(last);
  for await (const [slice, rows] of found) {
    const { start, end } = slice;
    if (!fitted) {
      await matrix.run(`deviations${bits}`, end - start, BLOCK, rows, stride, centre, 0, squares);
      const largest = matrix.doubles(squares, end - start).reduce((a, b) => Math.max(a, b));
      if (!(Math.sqrt(largest) < FARTHEST * scale)) throw await unusable(fields, start, end, what);
    }
    const kept = Math.min(end, resident) - start;
    if (kept > 0)
      await matrix.run(`normalise${bits}`, kept, BLOCK, rows, stride, centre, scale, own(slice)[1], 0);
    progress(end / last);
  }
  if (last === 0) progress(1);
}

/** Why samples `start` to `end - 1` cannot be worked with. */
async function unusable(fields: Fields, start: number, end: number, what: string): Promise<DataError> {
  const values = await fields.read(start, end);
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) {
    return new DataError(
      `samples ${start} to ${end - 1} are too far from the mean: their distances overflow`,
    );
  }
  const size = fieldSize(fields);
  const position = positionOf(fields, at % size).join(", ");
  const where = `sample ${start + Math.floor(at / size)}, position [${position}]`;
  return new DataError(`${fields.name ?? what} must be finite, but there is ${values[at]} in ${where}`);
}
