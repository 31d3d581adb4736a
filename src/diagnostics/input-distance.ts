import { type Fields, FLOAT32_MAX, fieldSize, positionOf } from "../datasets/fields.js";
import { DataError, OptionError } from "../errors.js";
import { assignment } from "../numerics/assignment.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { blockwiseDistances, COLUMN_STEP } from "../numerics/pairwise-distances.js";
import { createRowMatrix } from "../numerics/row-matrix.js";
import { paddedColumns } from "../numerics/row-storage.js";
import type { Assignment } from "../partition/assignment.js";
import { indicesOfClients } from "../partition/assignment.js";
import { memoryBytes } from "../partition/memory-options.js";
import { shuffle } from "../random/permutation.js";
import { stream } from "../random/stream.js";

/** Inputs a client contributes at most, and all clients together, unless told otherwise. */
const PER_CLIENT = 64;
const IN_ALL = 1280;
const SLICE_BYTES = 16 * 1024 * 1024;
/** The part of the memory that inputs may take whose distances are computed at once. */
const PART = 1 / 4;

export interface InputDistances {
  /** Mean over all pairs of clients that hold samples. */
  readonly mean: number;
  /** Pairwise W1, clients x clients; NaN for a client without samples. */
  readonly distances: Float64Array;
  /** Largest number of inputs that a client contributed. */
  readonly samplesPerClient: number;
}

export interface InputDistanceOptions {
  /** Names the stream that chooses the inputs; 0 unless told otherwise. */
  readonly seed?: number;
  /** Inputs taken from every client at most: 64, or fewer if that were more than 1280 for all clients together. */
  readonly samples?: number;
}

/** Inputs as points with scaled Euclidean distances, as for responses. All partitions of the data share it. */
export interface InputSpace {
  readonly inputs: Fields;
  /** Distances between some of the samples, which are given in rising order, as a square matrix. */
  distances(samples: readonly number[]): Promise<Float64Array>;
}

/**
 * The space of these inputs, divided by their own scale or by a given one. Partitions of the same data need many of the
 * same distances. Once computing all of them costs no more than the requests so far, it computes and caches them, which is
 * at most twice the work. Without enough memory, each partition computes its own.
 */
export async function inputSpace(
  inputs: Fields,
  options: {
    readonly scale?: number;
    readonly threads?: Threads;
    /** GB of memory to use, of which inputs take a quarter; 4 unless told otherwise. */
    readonly memory?: number;
  } = {},
): Promise<InputSpace> {
  const { scale, threads } = options;
  const most = PART * memoryBytes(options);
  const unit = scale ?? (await inputScale(inputs));
  const { samples: count } = inputs;
  const isSmall = count <= IN_ALL && matrixBytes(inputs, count) <= most;
  let asked = 0;
  let all: Promise<Float64Array | undefined> | undefined;
  return {
    inputs,
    async distances(samples) {
      asked += samples.length ** 2;
      if (isSmall && asked >= count ** 2)
        all ??= distancesBetween(inputs, [...Array(count).keys()], { unit, threads, most }).catch(
          () => undefined,
        );
      const between = await all;
      if (!between) return distancesBetween(inputs, samples, { unit, threads, most });
      const own = new Float64Array(samples.length ** 2);
      samples.forEach((a, row) => {
        samples.forEach((b, column) => {
          own[row * samples.length + column] = between[a * count + b];
        });
      });
      return own;
    },
  };
}

/** Bytes that the distances between these inputs take at most, besides the inputs themselves. */
export function inputSpaceBytes(inputs: Fields, memory: number): number {
  return Math.min(PART * memory, matrixBytes(inputs, Math.min(inputs.samples, IN_ALL)));
}

function matrixBytes(inputs: Fields, samples: number): number {
  return 4 * samples * paddedColumns(fieldSize(inputs));
}

/**
 * Input-space W1 between clients: the optimal matching of equally many random inputs of both clients, by scaled
 * Euclidean distance. The smaller client determines how many inputs are compared.
 */
export async function inputDistances(
  space: InputSpace,
  split: Assignment,
  options: InputDistanceOptions,
): Promise<InputDistances> {
  const { clients } = split;
  if (space.inputs.samples !== split.clientOfSample.length) {
    throw new DataError(
      `there are ${space.inputs.samples} inputs for a partition of ${split.clientOfSample.length} samples`,
    );
  }
  const { seed = 0, samples = Math.max(1, Math.min(PER_CLIENT, Math.floor(IN_ALL / clients))) } = options;
  if (!(samples >= 1)) throw new OptionError(`the number of inputs per client is 1 or more, not ${samples}`);
  const chosen = indicesOfClients(split).map((indices, client) =>
    shuffle(stream(seed, "input-distance", client), indices).slice(0, samples),
  );
  const order = chosen.flat().sort((a, b) => a - b);
  const rowOf = new Map(order.map((sample, row) => [sample, row]));
  const between = await space.distances(order);

  const rows = chosen.map((samples) => samples.map((sample) => rowOf.get(sample)! * order.length));
  const columns = chosen.map((samples) => samples.map((sample) => rowOf.get(sample)!));
  const distances = new Float64Array(clients * clients).fill(Number.NaN);
  let total = 0;
  let pairs = 0;
  for (let i = 0; i < clients; i++) {
    if (chosen[i].length > 0) distances[i * clients + i] = 0;
    for (let j = i + 1; j < clients; j++) {
      const size = Math.min(chosen[i].length, chosen[j].length);
      if (size === 0) continue;
      const costs = new Float64Array(size * size);
      for (let a = 0; a < size; a++)
        for (let b = 0; b < size; b++) costs[a * size + b] = between[rows[i][a] + columns[j][b]];
      const distance = assignment(costs, size).total / size;
      distances[i * clients + j] = distance;
      distances[j * clients + i] = distance;
      total += distance;
      pairs++;
    }
  }
  return {
    mean: total / pairs,
    distances,
    samplesPerClient: Math.max(...chosen.map((indices) => indices.length)),
  };
}

/** Root mean squared distance of an input from the mean input: s_u of eq:response-normalization, for inputs. */
export async function inputScale(inputs: Fields): Promise<number> {
  const size = fieldSize(inputs);
  const origin = Float64Array.from(await inputs.read(0, 1)); // sums relative to one sample keep their digits
  const sums = new Float64Array(size);
  let squares = 0;
  for (const [start, end] of slices(inputs)) {
    const values = await inputs.read(start, end);
    for (let at = 0; at < values.length; at += size) {
      let square = 0;
      for (let c = 0; c < size; c++) {
        const value = values[at + c] - origin[c];
        sums[c] += value;
        square += value * value;
      }
      if (!Number.isFinite(square))
        throw notUsable(inputs, start + at / size, values.subarray(at, at + size), origin);
      squares += square;
    }
  }
  const { samples } = inputs;
  const meanSquare = sums.reduce((total, value) => total + (value / samples) * (value / samples), 0);
  return Math.sqrt(Math.max(0, squares / samples - meanSquare));
}

/** Why the squared distance of an input from the first one is no number. */
function notUsable(
  inputs: Fields,
  input: number,
  values: ArrayLike<number>,
  origin: ArrayLike<number>,
): DataError {
  const { name = "the inputs" } = inputs;
  for (const [index, numbers] of [[0, origin] as const, [input, values] as const]) {
    for (let at = 0; at < numbers.length; at++) {
      if (Math.abs(numbers[at]) <= FLOAT32_MAX) continue;
      const position = inputs.shape.length === 0 ? "" : `, position [${positionOf(inputs, at).join(", ")}]`;
      const said = `${name} have ${numbers[at]} in sample ${index}${position}`;
      return new DataError(
        Number.isFinite(numbers[at])
          ? `${said}, which exceeds float32's range (up to ${FLOAT32_MAX.toExponential(1)}): use a larger unit`
          : `${said}: values must be finite`,
      );
    }
  }
  return new DataError(`sample ${input} of ${name} is too far from the others: its distance overflows`);
}

/**
 * Distances between samples in rising order. Samples of more than `most` bytes are read several times, for some of their
 * columns each.
 */
async function distancesBetween(
  inputs: Fields,
  samples: readonly number[],
  { unit, threads, most }: { readonly unit: number; readonly threads?: Threads; readonly most: number },
): Promise<Float64Array> {
  const size = fieldSize(inputs);
  const isWhole = matrixBytes(inputs, samples.length) <= most;
  const steps = Math.max(1, Math.floor(most / (4 * samples.length * COLUMN_STEP)));
  const columns = isWhole ? size : Math.min(size, steps * COLUMN_STEP);
  const matrix = await createRowMatrix(samples.length, columns, threads);
  try {
    const origin = Float64Array.from(await inputs.read(0, 1)); // float32 keeps no digits of a large common value
    return await blockwiseDistances(matrix, Math.ceil(size / columns), async (block) => {
      const [from, to] = [block * columns, Math.min((block + 1) * columns, size)];
      for await (const { row, values } of rowsOf(inputs, samples)) {
        const scaled = matrix.row(row).fill(0);
        scaleInto(scaled, values.subarray(from, to), origin.subarray(from, to), unit);
      }
    });
  } finally {
    await matrix.close();
  }
}

/** The values of samples in rising order, with their place in the list. */
async function* rowsOf(inputs: Fields, samples: readonly number[]) {
  const size = fieldSize(inputs);
  let next = 0;
  for (const [, end] of slices(inputs)) {
    const first = next;
    while (next < samples.length && samples[next] < end) next++;
    if (next === first) continue;
    const values = await inputs.read(samples[first], samples[next - 1] + 1);
    for (let row = first; row < next; row++) {
      const at = (samples[row] - samples[first]) * size;
      yield { row, values: values.subarray(at, at + size) };
    }
  }
}

function scaleInto(
  scaled: Float32Array,
  values: Float32Array | Float64Array,
  origin: Float64Array,
  scale: number,
): void {
  const factor = scale > 0 ? 1 / scale : 0;
  for (let c = 0; c < origin.length; c++) scaled[c] = (values[c] - origin[c]) * factor;
}

function* slices(fields: Fields): Generator<[start: number, end: number]> {
  const rows = Math.max(1, Math.floor(SLICE_BYTES / (8 * fieldSize(fields))));
  for (let start = 0; start < fields.samples; start += rows)
    yield [start, Math.min(fields.samples, start + rows)];
}
