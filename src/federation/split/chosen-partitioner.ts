import { createHash } from "node:crypto";
import type { FileData } from "../../datasets/dataset.js";
import type { LabelledFields } from "../../datasets/fields.js";
import { openDataset } from "../../datasets/files/labelled-file.js";
import { openData } from "../../datasets/files/open.js";
import { namedFiles } from "../../datasets/files/sample-attributes.js";
import { DataError, OptionError } from "../../errors.js";
import { costSha256, readCostChoice } from "../../exchange/cost-choice.js";
import { type GivenPartition, readGivenPartition } from "../../exchange/given-clients.js";
import { fitsBins } from "../../exchange/partition-data-file.js";
import { metricOf } from "../../exchange/partition-file.js";
import type { BinModel } from "../../partition/bins.js";
import { isCostName, recordedCost } from "../../partition/ground-costs.js";
import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../../partition/partition-options.js";
import type { AssignmentFile, Known, PartitionerChoice } from "../../partition/partitioner.js";
import type { Standardisation } from "../../partition/representation.js";
import { chosenRepresentation, recordedRepresentation } from "../../partition/representations.js";
import { isStatistic } from "../../pipeline/field-statistics.js";
import { namedArrays } from "../../pipeline/represented-data.js";
import {
  clientCount,
  type KnowledgeSources,
  knowledgeOf,
  wantedBy,
} from "../../pipeline/sample-knowledge.js";
import type { PrepareDataOptions } from "../prepared-data.js";
import type { RunOptions } from "../run-options.js";
import { trainingClients } from "./training-clients.js";

/** Options that a partitioner determines once the file that it names, or the attribute, is known. */
export interface ResolvedPartitioner {
  readonly partitioner?: PartitionerChoice;
  readonly clients: number;
  readonly bins: number;
  /** Representation, scaling and cost of bins, where a partition brings them along. */
  readonly representation?: string;
  readonly standardise?: Standardisation;
  readonly cost?: string;
  readonly costSha256?: string;
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
  readonly representation?: string | undefined;
  readonly standardise?: Standardisation | undefined;
  readonly cost?: string | undefined;
}

/**
 * Finds the number of clients and bins where they depend on a file or on an attribute. The hash of a partition's clients
 * becomes part of the choice: a run is what its clients are, not how their file is called.
 */
export async function resolvePartitioner(asked: AskedPartitioner): Promise<ResolvedPartitioner> {
  return { ...(await resolvedClients(asked)), ...(await resolvedCost(asked)) };
}

/** The hash of a matrix of costs that a file holds; checks that arrays which are named exist. */
async function resolvedCost(asked: AskedPartitioner): Promise<Pick<ResolvedPartitioner, "costSha256">> {
  const { representation, data, cost } = asked;
  if (representation !== undefined && chosenRepresentation(representation).entry.readsArrays)
    await checkArrays(representation, data);
  const sha256 = cost === undefined ? undefined : costSha256(await readCostChoice(cost));
  return sha256 === undefined ? {} : { costSha256: sha256 };
}

/** Refuses arrays that the data do not have, before anything is generated or trained. */
async function checkArrays(text: string, data: FileData | undefined): Promise<void> {
  const known = data && (await openDataset(data, { isUnchanged: true }));
  try {
    await namedArrays(await known?.arrays?.("train"), text, data?.train);
  } finally {
    await known?.close();
  }
}

async function resolvedClients(asked: AskedPartitioner): Promise<ResolvedPartitioner> {
  const { partitioner, data, clients, bins } = asked;
  const wanted = wantedBy(partitioner);
  const usual = asked.usualClients ?? CLIENT_OPTIONS.clients.default;
  if (wanted.assignment) {
    const given = await readGivenPartition(wanted.assignment);
    return {
      partitioner: { ...partitioner!, sha256: clientsSha256(given) },
      clients: clientCount(partitioner, { clients: given }, clients, usual),
      bins: bins ?? given.bins?.bins ?? PARTITION_OPTIONS.bins.default,
      ...(given.bins && !fitsBins(asked) && metricOfGiven(given, wanted.assignment)),
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

/** Representation and cost of the bins that a partition of ours brings along. Its file has the matrix of its costs. */
function metricOfGiven(
  { bins, own }: GivenPartition,
  { file }: AssignmentFile,
): Pick<ResolvedPartitioner, "representation" | "standardise" | "cost" | "costSha256"> {
  const { cost, ...metric } = metricOf(bins!);
  if (cost === undefined || isCostName(cost)) return { ...metric, ...(cost !== undefined && { cost }) };
  const rows = own!.file.cost;
  return { ...metric, cost: own?.path ?? file, costSha256: costSha256({ name: cost, rows }) };
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
    read: async (name) => (data ? namedFiles(name, values[name], pathsOf(data)) : values[name]),
  };
}

const pathsOf = ({ file, files = [] }: FileData): readonly string[] =>
  files.length > 0 ? files.map((one) => one.file) : [file];

type PartitionedOptions = Pick<
  RunOptions,
  | "partitioner"
  | "data"
  | "seed"
  | "bins"
  | "train"
  | "test"
  | "representation"
  | "standardise"
  | "cost"
  | "costSha256"
>;

/** Whether bins that a partition brings along are those that a run asks for. */
function isAskedFor(given: GivenPartition, bins: number, metric: Partial<PartitionedOptions>): boolean {
  if (given.bins?.bins !== bins) return false;
  const { representation, standardise, cost } = metricOf(given.bins);
  const isMatrix = cost !== undefined && !isCostName(cost);
  return (
    recordedRepresentation(metric.representation) === representation &&
    (metric.standardise ?? "arrays") === (standardise ?? "arrays") &&
    (isMatrix
      ? metric.costSha256 === costSha256({ name: cost, rows: given.own!.file.cost })
      : recordedCost(metric.cost) === cost)
  );
}

/** What the partitioner of a run knows of the training samples, and the bins that a partition of ours brings along. */
export async function partitionKnowledge(
  { partitioner, data, seed, bins, train: samples, test, ...metric }: PartitionedOptions,
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
      ...{ inputs: train.inputs, responses: train.responses },
      attributes: namedAttributes(attributes, data),
      async readClients(file) {
        const given = await readGivenPartition(file);
        if (partitioner?.sha256 !== undefined && clientsSha256(given) !== partitioner.sha256)
          throw new DataError(`${file.file} has changed since the run was planned: plan it again`);
        if (isAskedFor(given, bins, metric)) model = given.bins;
        return trainingClients(given, file, { data, train, counts: { train: samples, test } });
      },
    },
    { samples, seed, threads, memory },
  );
  return { known, ...(model && { model }) };
}
