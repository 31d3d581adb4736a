import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DataNames, type OpenData, openData } from "../datasets/files/open.js";
import { OptionError } from "../errors.js";
import type { Standardisation } from "../partition/representation.js";
import { readPartition } from "./foreign-partition.js";
import { BY_FOLDER } from "./hugging-face.js";
import { type OwnPartition, ownPartition, type ReadBins, readBins } from "./own-partition.js";
import { fitsBins } from "./partition-data-file.js";
import { type PartitionReading, withPartition } from "./partition-folder.js";

/** Which partition of data is read, and with which bins. */
export interface PartitionedDataOptions extends DataNames, PartitionReading {
  /** Accept responses that differ from those that the partition was made from, for the same samples. */
  readonly otherData?: boolean;
  /** Number of bins to fit if the partition has none; default 10. */
  readonly bins?: number;
  /** An earlier partition whose bins are used. */
  readonly binsFrom?: string;
  /** What bins are fitted to, how arrays are scaled for it, and the ground metric: a name, or a file with a matrix. */
  readonly representation?: string;
  readonly standardise?: Standardisation;
  readonly cost?: string;
  /** Array of an NPZ file, or key of a dict, that holds the partition. */
  readonly key?: string;
  /** Called when the data file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
}

/** Data and a partition of them, whoever made it. Close the data after use. */
export interface PartitionedData {
  readonly data: OpenData;
  /** The partition, where it was made here. */
  readonly own?: OwnPartition;
  /** Bins that exist, and the file that they come from: the partition itself, or another one. */
  readonly reused?: ReadBins & { readonly from: string };
  readonly clientOfSample: Int32Array;
  readonly clientNames: readonly string[];
}

/** Opens data with a partition of them. The bins are those of `binsFrom` or of the partition, unless others are wanted. */
export async function openPartitionedData(
  path: string,
  partitionPath: string,
  options: PartitionedDataOptions,
): Promise<PartitionedData> {
  const own = await ownPartition(partitionPath);
  if (options.otherData && !own)
    throw new OptionError(
      `--other-data speaks of a partition made here, and ${partitionPath} is another tool's`,
    );
  const from = options.binsFrom ?? (own && !fitsBins(options) ? partitionPath : undefined);
  const reused = from === undefined ? undefined : { ...(await readBins(from)), from };
  const data = await openData(path, options, own?.file.data ?? reused?.data);
  try {
    options.onOpen?.(data);
    const { samples } = data.responses;
    const { clientOfSample, clientNames } = await withPartition(
      partitionPath,
      (file) =>
        readPartition(file, { column: clientColumn(options), key: options.key, samples, partial: true }),
      options,
    );
    return { data, own, reused, clientOfSample, clientNames };
  } catch (error) {
    await data.close();
    throw error;
  }
}

/** The column of the client in a table; folders that are the clients have been turned into one. */
export const clientColumn = ({ column }: PartitionReading) => (column === BY_FOLDER ? undefined : column);

/** What is said of samples that no client holds. */
export function leftOut(clientOfSample: Int32Array, consequence: string): string[] {
  const all = clientOfSample.length;
  const count = clientOfSample.reduce((sum, client) => sum + (client < 0 ? 1 : 0), 0);
  if (count === 0) return [];
  const share = ((100 * count) / all).toFixed(1);
  return [`No client holds ${count} of ${all} samples (${share} %): ${consequence}.`];
}

/**
 * The data file of a partition: the one that is named, or the one that the partition was made from, if it lies here, beside
 * the partition or in the folder above. Partitions note a name without its folder; their hash of the data is checked later.
 */
export async function dataFileOf(partitionPath: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const own = await ownPartition(partitionPath);
  if (!own)
    throw new OptionError(
      `${partitionPath} does not say which data it splits: name the file with --data <file>`,
    );
  const { name } = own.file.data;
  const folder = dirname(partitionPath);
  const found = [name, join(folder, name), join(folder, "..", name)].find((path) => existsSync(path));
  if (found === undefined)
    throw new OptionError(
      `${partitionPath} was made from ${name}, which is neither here nor beside it: name the file with --data <file>`,
    );
  return found;
}
