import { createHash } from "node:crypto";
import type { FileData } from "../datasets/dataset.js";
import type { LabelledFields } from "../datasets/fields.js";
import { openDataset } from "../datasets/files/labelled-file.js";
import { openData } from "../datasets/files/open.js";
import { namedFiles } from "../datasets/files/sample-attributes.js";
import { DataError, OptionError } from "../errors.js";
import { type GivenPartition, readGivenPartition } from "../exchange/given-clients.js";
import type { BinModel } from "../partition/bins.js";
import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../partition/partition-options.js";
import type { Known, PartitionerChoice } from "../partition/partitioner.js";
import { clientCount, type KnowledgeSources, knowledgeOf, wantedBy } from "../pipeline/sample-knowledge.js";
import type { PrepareDataOptions } from "./prepared-data.js";
import type { RunOptions } from "./run-options.js";
import { trainingClients } from "./training-clients.js";

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
    return {
      partitioner: { ...partitioner!, sha256: clientsSha256(given) },
      clients: clientCount(partitioner, { clients: given }, clients, usual),
      bins: bins ?? given.bins?.bins ?? PARTITION_OPTIONS.bins.default,
    };
  }
  const known = wanted.attribute === undefined ? {} : await attributeOf(wanted.attribute, data, asked.train);
  return {
    ...(partitioner && { partitioner }),
    clients: clientCount(partitioner, known, clients, usual),
    bins: bins ?? PARTITION_OPTIONS.bins.default,
  };
}

/** A hash of the clients, and of the bins that a partition of ours is measured with. */
function clientsSha256({ clientOfSample, own }: GivenPartition): string {
  const hash = createHash("sha256").update(clientOfSample.join());
  if (own) hash.update(own.file.bins.sha256);
  return hash.digest("hex").slice(0, 16);
}

async function attributeOf(attribute: string, data: FileData | undefined, samples: number): Promise<Known> {
  if (!data) return knowledgeOf({ attribute }, {}, { samples });
  const dataset = await openDataset(data);
  try {
    const attributes = namedAttributes(await dataset.attributes("train"), data);
    if (!attributes!.names.includes(attribute)) await refuseNames(attribute, data.file);
    return await knowledgeOf({ attribute }, { attributes }, { samples });
  } finally {
    await dataset.close();
  }
}

/** Refuses an attribute of strings, of which a partition can be made, but no run: it keeps attributes as numbers. */
async function refuseNames(attribute: string, file: string): Promise<void> {
  const opened = await openData(file);
  await opened.close();
  if (opened.attributes.names.includes(attribute))
    throw new OptionError(
      `${attribute} has names, not numbers: make the clients first (partition ${file} --by ${attribute} --out p.json), ` +
        "then train on them (--partition p.json)",
    );
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
  let model: BinModel | undefined;
  const known = await knowledgeOf(
    wantedBy(partitioner),
    {
      inputs: train.inputs,
      attributes: namedAttributes(attributes, data),
      async readClients(file) {
        const given = await readGivenPartition(file);
        if (partitioner?.sha256 !== undefined && clientsSha256(given) !== partitioner.sha256)
          throw new DataError(`${file.file} has changed since the run was planned: plan it again`);
        if (given.bins?.bins === bins) model = given.bins;
        return trainingClients(given, file, { data, train, counts: { train: samples, test } });
      },
    },
    { samples, seed, threads, memory },
  );
  return { known, ...(model && { model }) };
}
