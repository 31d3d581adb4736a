import type { Fields } from "../datasets/fields.js";
import { DataError, OptionError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import type { PartitionOptions } from "../partition/partition.js";
import type {
  AssignmentFile,
  AttributeValues,
  GivenClients,
  Known,
  PartitionerChoice,
  Wanted,
} from "../partition/partitioner.js";
import { DEFAULT_PARTITIONER, drawValues, partitionerOf } from "../partition/partitioners.js";
import { binData } from "./binned-data.js";
import { fieldStatistic, statisticNames } from "./field-statistics.js";

/** Where answers to what a partitioner wants to know of samples come from. */
export interface KnowledgeSources {
  readonly inputs?: Fields;
  readonly responses?: Fields;
  /** Names of the attributes that samples have, and the values of one. */
  readonly attributes?: {
    readonly names: readonly string[];
    /** Why there are no values of this name, to follow it. */
    problem?(name: string): string | undefined;
    read(name: string): Promise<AttributeValues>;
  };
  /** Clients that a file states for this many samples. */
  readonly readClients?: (file: AssignmentFile, samples: number) => Promise<GivenClients>;
}

/** What a partitioner wants to know; nothing, for most. */
export function wantedBy(choice: PartitionerChoice | undefined): Wanted {
  const { name, ...given } = choice ?? { name: DEFAULT_PARTITIONER };
  return partitionerOf(name).wants?.(drawValues({ name, ...given })) ?? {};
}

/** Finds out what a partitioner wants to know of every sample. */
export async function knowledgeOf(
  wanted: Wanted,
  sources: KnowledgeSources,
  options: {
    readonly samples: number;
    readonly seed?: number;
    readonly threads?: (fields: Fields) => Threads;
    readonly memory?: number;
  },
): Promise<Known> {
  const { attribute, inputBins, assignment } = wanted;
  return {
    ...(attribute !== undefined && { attribute: await attributeValues(attribute, sources, options.samples) }),
    ...(inputBins !== undefined && { inputBins: await clustersOfInputs(inputBins, sources, options) }),
    ...(assignment && { clients: await clientsOfFile(assignment, sources, options.samples) }),
  };
}

/** The number of clients: what is asked for, what data or options determine, or else a default. */
export function clientCount(
  choice: PartitionerChoice | undefined,
  known: Known,
  asked: number | undefined,
  usual: number,
): number {
  const { name, ...given } = choice ?? { name: DEFAULT_PARTITIONER };
  const determined = partitionerOf(name).clientsOf?.(known, drawValues({ name, ...given }), asked);
  return determined ?? asked ?? usual;
}

async function attributeValues(
  name: string,
  { attributes, ...fields }: KnowledgeSources,
  samples: number,
): Promise<AttributeValues> {
  const names = attributes?.names ?? [];
  const problem = attributes?.problem?.(name);
  if (problem !== undefined && !names.includes(name))
    throw new OptionError(`the attribute ${name} ${problem}`);
  const statistics = statisticNames(fields);
  if (![...names, ...statistics].includes(name))
    throw new OptionError(
      `the data have no attribute "${name}": ` +
        (names.length === 0
          ? "no array has one value for each sample"
          : `there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`) +
        (statistics.length === 0 ? "" : `, and all data have ${statistics.join(", ")}`),
    );
  const values =
    attributes && names.includes(name) ? await attributes.read(name) : await fieldStatistic(name, fields);
  if (values.length !== samples)
    throw new DataError(`${name} has ${values.length} values for ${samples} samples`);
  return values;
}

/** Clusters of the inputs, by the same normalisation and k-means as solution bins. */
async function clustersOfInputs(
  bins: number,
  { inputs }: KnowledgeSources,
  {
    seed,
    threads,
    memory,
  }: Pick<PartitionOptions, "seed"> & {
    readonly threads?: (fields: Fields) => Threads;
    readonly memory?: number;
  },
): Promise<Int32Array> {
  if (!inputs) throw new OptionError("the partitioner input-bins needs inputs: name them with --inputs");
  const clusters = await binData({ responses: inputs }, { bins, seed, threads, memory });
  return clusters.bins.binOfSample;
}

async function clientsOfFile(
  file: AssignmentFile,
  { readClients }: KnowledgeSources,
  samples: number,
): Promise<GivenClients> {
  if (!readClients) throw new OptionError(`no clients can be read from ${file.file} here`);
  return readClients(file, samples);
}
