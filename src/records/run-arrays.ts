import { FormatError } from "../errors.js";
import { partitionArrays } from "../exchange/partition-file.js";
import type { ByteSource } from "../files/byte-source.js";
import type { Values } from "../files/ndarray.js";
import { type NpzArchive, type NpzEntries, openNpz, writeNpz } from "../files/npz.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";

/** Parameters at the checkpoints of a run, in their order. */
export interface CheckpointParameters {
  readonly rounds: readonly number[];
  readonly parameters: readonly Float32Array[];
}

/**
 * The bytes of `arrays.npz`: all arrays of a partition file, `rounds`, and `parameters` [checkpoints, P]. Parameters
 * would hardly become smaller, and take seconds to compress where there are millions.
 */
export function runArrays(measured: MeasuredPartition, checkpoints: CheckpointParameters): Uint8Array {
  return writeNpz({ ...partitionArrays(measured), ...checkpointArrays(checkpoints) }, { compress: false });
}

/** Checkpoints as arrays. */
export function checkpointArrays({ rounds, parameters }: CheckpointParameters): NpzEntries {
  const width = parameters[0]?.length ?? 0;
  const values = new Float32Array(parameters.length * width);
  parameters.forEach((row, index) => {
    values.set(row, index * width);
  });
  return { rounds: Int32Array.from(rounds), parameters: { values, shape: [parameters.length, width] } };
}

/** Checkpoints from arrays. */
export async function readCheckpoints(archive: NpzArchive, name: string): Promise<CheckpointParameters> {
  const { values: rounds } = await whole(archive, "rounds", name, Int32Array);
  const { values, shape } = await whole(archive, "parameters", name, Float32Array);
  if (shape.length !== 2 || shape[0] !== rounds.length)
    throw new FormatError(`${name} has ${rounds.length} rounds but parameters of shape ${shape.join("x")}`);
  return {
    rounds: [...rounds],
    parameters: Array.from(rounds, (_, row) => values.subarray(row * shape[1], (row + 1) * shape[1])),
  };
}

/** What of `arrays.npz` can be checked against `run.json`. */
export interface RunArrays extends CheckpointParameters {
  readonly clientOfSample: Int32Array;
  readonly binOfSample: Int32Array;
  /** Undefined where every sample went by itself. */
  readonly groupOfSample: Int32Array | undefined;
  readonly counts: Int32Array;
  /** Drawn shares and histograms [clients, bins], and intended sizes; undefined where the partitioner has none. */
  readonly proportions: Float64Array | undefined;
  readonly target: Float64Array | undefined;
  readonly intendedSizes: Float64Array | undefined;
  /** What the partitioner knew of every sample besides its bin. */
  readonly attribute: Float64Array | undefined;
  readonly inputBins: Int32Array | undefined;
  /** Distances between bins [bins, bins]. */
  readonly cost: Float64Array;
  /** W1 between inputs [clients, clients]; undefined where there was none to measure. */
  readonly inputDistance: Float64Array | undefined;
}

export async function readRunArrays(source: ByteSource): Promise<RunArrays> {
  const archive = await openNpz(source);
  const ints = async (name: string) => (await whole(archive, name, source.name, Int32Array)).values;
  const has = (name: string) => archive.names.includes(name);
  const doubles = async (name: string) => (await whole(archive, name, source.name, Float64Array)).values;
  return {
    ...(await readCheckpoints(archive, source.name)),
    clientOfSample: await ints("client_of_sample"),
    binOfSample: await ints("bin_of_sample"),
    groupOfSample: has("group_of_sample") ? await ints("group_of_sample") : undefined,
    counts: await ints("counts"),
    proportions: has("proportions") ? await doubles("proportions") : undefined,
    target: has("target") ? await doubles("target") : undefined,
    intendedSizes: has("intended_sizes") ? await doubles("intended_sizes") : undefined,
    attribute: has("attribute_of_sample") ? await doubles("attribute_of_sample") : undefined,
    inputBins: has("input_bin_of_sample") ? await ints("input_bin_of_sample") : undefined,
    cost: await doubles("cost"),
    inputDistance: has("input_distance") ? await doubles("input_distance") : undefined,
  };
}

async function whole<T extends Values>(
  archive: NpzArchive,
  array: string,
  name: string,
  type: abstract new (...args: never[]) => T,
): Promise<{ readonly values: T; readonly shape: readonly number[] }> {
  const { read, rows, shape, dtype } = await archive.array(array);
  const values = await read(0, rows);
  if (!(values instanceof type)) throw new FormatError(`${name}: "${array}" is of type ${dtype}`);
  return { values, shape };
}
