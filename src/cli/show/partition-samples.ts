import { type DataNames, type NotedNames, responsesSha256 } from "../../datasets/files/open.js";
import { OptionError } from "../../errors.js";
import { otherData } from "../../exchange/other-data.js";
import { partitionFileIn } from "../../exchange/partition-folder.js";
import { dataFileOf, openPartitionedData, type PartitionedData } from "../../exchange/partitioned-data.js";
import { membersByDistance } from "../../partition/bin-members.js";

/** Samples to draw when nobody says how many. */
const USUAL_SAMPLES = 4;

/** Which samples of a partition are wanted. */
export interface PartitionSampleOptions {
  readonly partition?: string;
  readonly bin?: number;
  readonly client?: string;
  /** How many; 4 unless told otherwise. */
  readonly samples?: number;
  readonly otherData?: boolean;
}

/** Samples of a bin or a client. */
export interface PartitionSamples {
  /** The data file. */
  readonly data: string;
  readonly samples: readonly number[];
  /** How the partition has read the data. */
  readonly noted?: NotedNames;
  /** What they belong to: `bin 3`, `client 2`. */
  readonly of: string;
  /** How they were chosen, in one sentence. */
  readonly words: string;
}

/** Refuses options that make sense with a partition alone, or that contradict each other. */
export function checkPartitionSamples(
  options: PartitionSampleOptions & { readonly sample?: readonly number[]; readonly split?: string },
): void {
  const { partition, bin, client, samples, sample, split } = options;
  if (partition === undefined) {
    const stray = {
      bin: "--bin",
      client: "--client",
      samples: "--samples",
      otherData: "--other-data",
    } as const;
    for (const [name, flag] of Object.entries(stray))
      if (options[name as keyof typeof stray] !== undefined)
        throw new OptionError(`${flag} speaks of a partition: name it with --partition <file>`);
    return;
  }
  if (bin === undefined && client === undefined)
    throw new OptionError("--partition needs --bin <number> or --client <name>: which samples to draw");
  if (sample !== undefined)
    throw new OptionError("--sample names samples one by one: leave it out, or leave out --bin and --client");
  if (split === "test") throw new OptionError("a partition splits training samples: leave out --split test");
  if (samples === 0) throw new OptionError("--samples is a whole number from 1 on, not 0");
}

/** The samples of a bin, those nearest to its centroid first, or of a client, in the order of the file. */
export async function partitionSamples(
  given: string | undefined,
  options: PartitionSampleOptions & DataNames,
): Promise<PartitionSamples> {
  const { bin, client, samples = USUAL_SAMPLES } = options;
  const partition = await partitionFileIn(options.partition!);
  const path = await dataFileOf(partition, given);
  const opened = await openPartitionedData(path, partition, options);
  const { data, own, clientOfSample } = opened;
  try {
    if (own && !options.otherData && (await responsesSha256(data)) !== own.file.data.sha256)
      throw otherData(data, path, own.file, partition);
    const binOfSample = bin === undefined ? undefined : binsOf(opened, bin, partition);
    const number = client === undefined ? undefined : clientNumber(opened, client, partition);
    const members = Array.from(clientOfSample.keys()).filter(
      (i) =>
        (binOfSample === undefined || binOfSample[i] === bin) &&
        (number === undefined || clientOfSample[i] === number),
    );
    const of = [
      ...(bin === undefined ? [] : [`bin ${bin}`]),
      ...(number === undefined ? [] : [`client ${client}`]),
    ].join(" at ");
    if (members.length === 0) throw new OptionError(`${partition} has no sample of ${of}`);
    const isByDistance = bin !== undefined && opened.reused !== undefined;
    const ordered = isByDistance
      ? (await membersByDistance(data.responses, members, opened.reused.model, bin)).map(
          ({ sample }) => sample,
        )
      : members;
    const chosen = ordered.slice(0, samples);
    const order = isByDistance ? "nearest to the centroid first" : "in the order of the file";
    return {
      data: path,
      samples: chosen,
      noted: own?.file.data,
      of,
      words: `${chosen.length} of the ${members.length} samples of ${of}, ${order}: ${chosen.join(", ")}`,
    };
  } finally {
    await data.close();
  }
}

/** Bin of every sample, as a partition of ours says. */
function binsOf({ own }: PartitionedData, bin: number, partition: string): readonly number[] {
  if (!own)
    throw new OptionError(`${partition} is another tool's and has no bins: name a client with --client`);
  const { bins } = own.file.options;
  if (bin >= bins)
    throw new OptionError(`there is no bin ${bin}: ${partition} has ${bins}, 0 to ${bins - 1}`);
  return own.file.bin_of_sample;
}

/** The client of this name, or of this number from 0. */
function clientNumber({ own, clientNames }: PartitionedData, wanted: string, partition: string): number {
  const names = own?.file.client_names ?? clientNames;
  const named = names.indexOf(wanted.trim());
  if (named >= 0) return named;
  if (/^\d+$/.test(wanted) && Number(wanted) < names.length) return Number(wanted);
  const some = names.slice(0, 8).join(", ") + (names.length > 8 ? ", ..." : "");
  throw new OptionError(`there is no client ${wanted}: ${partition} has ${names.length}, ${some}`);
}
