import { createHash } from "node:crypto";
import type { FileData } from "../datasets/dataset.js";
import type { LabelledFields } from "../datasets/fields.js";
import { openDataset } from "../datasets/files/labelled-file.js";
import { fieldsSha256, openData, responsesSha256 } from "../datasets/files/open.js";
import { namedFiles } from "../datasets/files/sample-attributes.js";
import { DataError, OptionError } from "../errors.js";
import { checkSameData, type GivenPartition, readGivenPartition } from "../exchange/given-clients.js";
import type { BinModel } from "../partition/bins.js";
import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../partition/partition-options.js";
import type { AssignmentFile, GivenClients, Known, PartitionerChoice } from "../partition/partitioner.js";
import { isStatistic } from "../pipeline/field-statistics.js";
import { clientCount, type KnowledgeSources, knowledgeOf, wantedBy } from "../pipeline/sample-knowledge.js";
import type { PrepareDataOptions } from "./prepared-data.js";
import type { RunOptions } from "./run-options.js";

/** Options that a partitioner determines once the file that it names, or the attribute, is known. */
export interface ResolvedPartitioner {
  readonly partitioner?: PartitionerChoice;
  readonly clients: number;
  readonly bins: number;
}

/** What a user says of the split before anything is read. */
export interface AskedPartitioner {
  readonly partitioner?: PartitionerChoice | undefined;
  readonly data?: FileData | undefined;
  readonly train: number;
  readonly clients?: number | undefined;
  /** Number of clients where nobody asks for one and nothing determines it; default 10. */
  readonly usualClients?: number | undefined;
  readonly bins?: number | undefined;
}

/**
 * Finds the number of clients and bins where they depend on a file or on an attribute. The hash of a partition's clients
 * becomes part of the choice: a run is what its clients are, not how their file is called.
 */
export async function resolvePartitioner(asked: AskedPartitioner): Promise<ResolvedPartitioner> {
  const { partitioner, data, clients, bins } = asked;
  const wanted = wantedBy(partitioner);
  const usual = asked.usualClients ?? CLIENT_OPTIONS.clients.default;
  if (wanted.assignment) {
    const given = await readGivenPartition(wanted.assignment);
    const sha256 = createHash("sha256").update(given.clientOfSample.join()).digest("hex").slice(0, 16);
    return {
      partitioner: { ...partitioner!, sha256 },
      clients: clientCount(partitioner, { clients: given }, clients, usual),
      bins: bins ?? given.bins?.bins ?? PARTITION_OPTIONS.bins.default,
    };
  }
  const { attribute } = wanted;
  // Statistics of fields are known only after the data are made. Their values are all different: clients share ranges.
  const isLater = attribute !== undefined && isStatistic(attribute);
  if (isLater && clients === undefined && asked.usualClients === undefined)
    throw new OptionError(`say how many clients share the range of ${attribute} (--clients 10)`);
  const known = attribute === undefined || isLater ? {} : await attributeOf(attribute, data, asked.train);
  return {
    ...(partitioner && { partitioner }),
    clients: isLater ? (clients ?? usual) : clientCount(partitioner, known, clients, usual),
    bins: bins ?? PARTITION_OPTIONS.bins.default,
  };
}

async function attributeOf(attribute: string, data: FileData | undefined, samples: number): Promise<Known> {
  if (!data) return knowledgeOf({ attribute }, {}, { samples });
  const dataset = await openDataset(data);
  try {
    const attributes = namedAttributes(await dataset.attributes("train"), data);
    return await knowledgeOf({ attribute }, { attributes }, { samples });
  } finally {
    await dataset.close();
  }
}

/** Attributes of the training samples of a file, whose number is its name; data of a source have none. */
function namedAttributes(
  values: Readonly<Record<string, Float64Array>>,
  data: FileData | undefined,
): KnowledgeSources["attributes"] {
  return {
    names: Object.keys(values),
    read: async (name) => (data ? namedFiles(name, values[name], data.file) : values[name]),
  };
}

/** What the partitioner of a run knows of the training samples, and the bins that a partition of ours brings along. */
export async function partitionKnowledge(
  {
    partitioner,
    data,
    seed,
    bins,
    train: samples,
    test,
  }: Pick<RunOptions, "partitioner" | "data" | "seed" | "bins" | "train" | "test">,
  {
    train,
    attributes,
  }: {
    readonly train: LabelledFields;
    readonly attributes: Readonly<Record<string, Float64Array>>;
  },
  { threads, memory }: Pick<PrepareDataOptions, "threads" | "memory">,
): Promise<{ readonly known: Known; readonly model?: BinModel }> {
  let given: GivenPartition | undefined;
  const known = await knowledgeOf(
    wantedBy(partitioner),
    {
      ...{ inputs: train.inputs, responses: train.responses },
      attributes: namedAttributes(attributes, data),
      async readClients(file) {
        given = await readGivenPartition(file);
        await checkOwner(given, file, data, train);
        return ofTrainingSamples(given, file, { train: samples, test, testing: data?.testing });
      },
    },
    { samples, seed, threads, memory },
  );
  return { known, ...(given?.bins?.bins === bins && { model: given.bins }) };
}

/** Refuses a partition of ours that was made from other data. */
async function checkOwner(
  given: GivenPartition,
  file: AssignmentFile,
  data: FileData | undefined,
  train: LabelledFields,
): Promise<void> {
  if (!given.own) return;
  if (!data) return checkSameData(given, await fieldsSha256(train.responses), file, "the generated data");
  const opened = await openData(data.file, {}, given.own.file.data);
  try {
    checkSameData(given, await responsesSha256(opened), file, data.file);
  } finally {
    await opened.close();
  }
}

/** Clients of the training samples, of a partition of these alone or of all samples of a file. */
function ofTrainingSamples(
  { clientOfSample, clientNames }: GivenClients,
  { file }: AssignmentFile,
  { train, test, testing }: { readonly train: number; readonly test: number } & Pick<FileData, "testing">,
): GivenClients {
  if (clientOfSample.length === train) return { clientOfSample, clientNames };
  if (testing && "range" in testing && clientOfSample.length === train + test) {
    const [start, end] = testing.range;
    return { clientOfSample: clientOfSample.filter((_, i) => i < start || i >= end), clientNames };
  }
  throw new DataError(
    `${file} states the clients of ${clientOfSample.length} samples, but ${train} are there for training`,
  );
}
