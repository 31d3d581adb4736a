import { type OpenData, openData } from "../datasets/files/open.js";
import { threadsFor } from "../datasets/threads-for.js";
import { OptionError } from "../errors.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import { DEFAULT_PARTITIONER, partitionerOf } from "../partition/partitioners.js";
import type { RepairRule } from "../partition/repair.js";
import { splitWords } from "../partition/split-words.js";
import { type SweepOptions, type SweepPoint, sweepBins } from "../pipeline/bin-sweep.js";
import { readCostChoice } from "./cost-choice.js";
import { readGivenPartition } from "./given-clients.js";
import { otherData } from "./other-data.js";
import { binsSeed } from "./own-partition.js";
import { fitsBins } from "./partition-data-file.js";
import {
  openPartitionedData,
  type PartitionedData,
  type PartitionedDataOptions,
} from "./partitioned-data.js";

export interface SweepFileOptions
  extends Omit<PartitionedDataOptions, "bins" | "binsFrom">,
    Pick<SweepOptions, "clients" | "alpha" | "seed" | "minSize" | "memory" | "startStep"> {
  /** A partition whose options are taken, or whose clients are kept if bins did not decide on them. */
  readonly partition?: string;
}

/** A sweep over numbers of bins, and what it was made with. */
export interface BinSweep {
  readonly points: readonly SweepPoint[];
  /** How clients were made, in words. */
  readonly clients: string;
  /** The number of bins of the partition. */
  readonly partitionBins?: number;
  readonly seed: number;
  readonly reading: string;
}

/**
 * Fits several numbers of bins to the responses of a file, and partitions them each time as asked, or as a partition was.
 * That partition's own number of bins is among them if it lies between the others.
 */
export async function sweepDataFile(
  path: string,
  counts: readonly number[],
  options: SweepFileOptions,
): Promise<BinSweep> {
  const { partition, memory, startStep } = options;
  const opened: Pick<PartitionedData, "data"> & Partial<PartitionedData> =
    partition === undefined
      ? { data: await openAnnounced(path, options) }
      : await openPartitionedData(path, partition, options);
  const { data, own } = opened;
  try {
    const hashed = data.hashedResponses();
    const split = partition === undefined ? askedSplit(options) : splitOf(opened, partition);
    const points = await sweepBins(
      {
        ...{
          responses: hashed.fields,
          inputs: data.inputs,
          groups: data.groups,
          attributes: data.attributes,
          descriptors: data.descriptors,
          responseAxes: data.responseAxes,
        },
        readClients: readGivenPartition,
      },
      withPartitionBins(counts, own?.file.options.bins),
      {
        ...split.options,
        ...{ threads: threadsFor, memory, startStep },
        ...(await binMetric(options, own)),
        onRead: async () => {
          if (own && !options.otherData && (await hashed.sha256()) !== own.file.data.sha256)
            throw otherData(data, path, own.file, partition!);
        },
      },
    );
    return {
      points,
      clients: split.words,
      ...(own && { partitionBins: own.file.options.bins }),
      seed: split.options.binsSeed ?? split.options.seed ?? 0,
      reading: data.reading,
    };
  } finally {
    await data.close();
  }
}

/** Numbers of bins in rising order, with one more if it lies between them. */
function withPartitionBins(counts: readonly number[], bins: number | undefined): number[] {
  const isBetween = bins !== undefined && bins > counts[0] && bins < counts.at(-1)!;
  return [...new Set([...counts, ...(isBetween ? [bins] : [])])].sort((a, b) => a - b);
}

async function openAnnounced(path: string, options: SweepFileOptions): Promise<OpenData> {
  const data = await openData(path, options);
  options.onOpen?.(data);
  return data;
}

interface Split {
  readonly options: SweepOptions;
  readonly words: string;
}

/** Alpha of a sweep where nobody names one: between near-IID and one bin a client. */
const USUAL_ALPHA = 0.1;

function askedSplit(options: SweepFileOptions): Split {
  const { clients = CLIENT_OPTIONS.clients.default, alpha = USUAL_ALPHA, seed = 0, minSize } = options;
  return {
    options: { clients, alpha, seed, minSize },
    words: `${clients} clients, alpha ${alpha}, seed ${seed}`,
  };
}

/** Options of a partition made here. Clients that bins did not decide on stay as they are. */
function splitOf({ own, clientOfSample, clientNames }: Partial<PartitionedData>, path: string): Split {
  const choice = own?.file.options.partitioner as PartitionerChoice | undefined;
  const isKept = !own || partitionerOf(choice?.name ?? DEFAULT_PARTITIONER).keepsClients;
  if (isKept) {
    if (!clientOfSample || !clientNames) throw new OptionError(`${path} states no clients`);
    return {
      options: { given: { clientOfSample, clientNames }, seed: own?.file.options.seed ?? 0 },
      words: `the ${clientNames.length} clients of ${path}`,
    };
  }
  const { clients, alpha, seed, min_size, repair } = own.file.options;
  return {
    options: {
      ...{ clients, alpha, seed, minSize: min_size, partitioner: choice, binsSeed: binsSeed(own.file) },
      ...(typeof repair === "string" && { repair: repair as RepairRule }),
    },
    words: `${clients} clients, ${splitWords(own.file.options)}, seed ${seed}`,
  };
}

/** What bins are fitted to and the cost between them: as asked for, or as the partition has them. */
async function binMetric(
  { representation, standardise, cost }: SweepFileOptions,
  own: PartitionedData["own"],
): Promise<Pick<SweepOptions, "representation" | "standardise" | "cost">> {
  const isAsked = fitsBins({ representation, standardise, cost });
  const found = isAsked ? { representation, standardise, cost } : (own?.file.options ?? {});
  return {
    ...(found.representation !== undefined && { representation: found.representation }),
    ...(found.standardise !== undefined && { standardise: found.standardise }),
    ...(found.cost !== undefined && { cost: await readCostChoice(found.cost) }),
  };
}
