import { dirname, join } from "node:path";
import type { NotedNames } from "../datasets/files/open.js";
import type { DiagnosticsInput } from "../diagnostics/diagnose.js";
import { FormatError, OptionError } from "../errors.js";
import { readText } from "../files/byte-source.js";
import { type DiskFile, openFile } from "../files/disk.js";
import { toNumbers } from "../files/ndarray.js";
import { type NpzArchive, openNpz } from "../files/npz.js";
import { READABLE_PARTITION_SCHEMAS } from "../partition/assignment.js";
import type { BinModel } from "../partition/bins.js";
import type { BinReach } from "../partition/bins-elsewhere.js";
import { binModelOf } from "./bin-model.js";
import { type PartitionFile, parsePartition } from "./parse-partition.js";
import { binsSha256 } from "./partition-file.js";
import { isFolder } from "./partition-folder.js";
import { isBinsFile, readBinsFile } from "./sites/bins-file.js";

/** A partition that was made here. */
export interface OwnPartition {
  readonly file: PartitionFile;
  /** Path of its JSON, and of the arrays beside it. */
  readonly path: string;
  readonly arrays: string;
}

/** Bins of an earlier partition, or of a file of bins. */
export interface ReadBins {
  readonly model: BinModel;
  /** How the data of the bins were read; undefined where the arrays of a partition were named alone. */
  readonly data?: NotedNames;
  /** Seed that they were fitted with, if the file knows. */
  readonly seed?: number;
  /** How far the data lie that they were fitted to, if the file says it. */
  readonly fitted?: BinReach;
}

/** The bins of a partition, from the arrays beside it or from those arrays themselves, or those of a file of bins. */
export async function readBins(path: string): Promise<ReadBins> {
  if (path.endsWith(".npz"))
    return withArchive(path, async (archive) => {
      if (!isBinsFile(archive)) return { model: await binModelOf(archive, path) };
      const { model, about, fitted } = await readBinsFile(archive, path);
      return { model, data: about.data, seed: about.bins.seed, fitted };
    });
  const own = await ownPartition(path);
  if (!own) throw new OptionError(`${path} is not a partition of this tool and has no bins to reuse`);
  const model = await withArchive(own.arrays, (archive) => checkedBins(own, archive));
  return { model, data: own.file.data, seed: binsSeed(own.file) };
}

/** Reads a partition of this tool; undefined for a file that is something else. */
export async function ownPartition(path: string): Promise<OwnPartition | undefined> {
  if (await isFolder(path)) return undefined;
  return withFile(path, async (source) => {
    const start = new TextDecoder().decode(await source.read(0, Math.min(16, source.size)));
    if (!/^\s*\{/.test(start)) return undefined;
    const text = await readText(source);
    const isOwn = READABLE_PARTITION_SCHEMAS.some((schema) => text.includes(`"${schema}"`)); // wherever a rewrite put it
    if (!isOwn) return undefined;
    const file = parsePartition(text, path);
    return { file, path, arrays: join(dirname(path), file.arrays) };
  });
}

/** Seed of a partition's bins. Older files do not say it: bins that were fitted then had the partition's seed. */
export function binsSeed({ bins, options }: PartitionFile): number | undefined {
  if (bins.seed !== undefined) return bins.seed ?? undefined;
  return bins.iterations === 0 ? undefined : options.seed;
}

/** What was intended for a partition; undefined where its partitioner intended nothing. */
export function drawnOf(own: OwnPartition): Promise<DiagnosticsInput["drawn"]> {
  return withArchive(own.arrays, async (archive) => {
    await checkedBins(own, archive);
    const matrix = async (name: string) => {
      if (!archive.names.includes(name)) return undefined;
      const array = await archive.array(name);
      const values = toNumbers(await array.read(0, array.rows));
      const width = values.length / array.rows;
      return Array.from({ length: array.rows }, (_, row) => values.subarray(row * width, (row + 1) * width));
    };
    const [target, proportions, sizes] = [
      await matrix("target"),
      await matrix("proportions"),
      await matrix("intended_sizes"),
    ];
    if (!target && !sizes) return undefined;
    const { alpha } = own.file.options;
    return {
      ...(target && { target }),
      ...(proportions && { proportions, alpha: alpha ?? undefined }),
      ...(sizes && { sizes: sizes.map(([size]) => size) }),
      repairs: own.file.repairs.length,
    };
  });
}

/** The bins among a partition's arrays, which must be those of its JSON: another partition's may lie in their place. */
async function checkedBins({ file, path, arrays }: OwnPartition, archive: NpzArchive): Promise<BinModel> {
  const model = await binModelOf(archive, arrays, file);
  const isOther = async (name: "client_of_sample" | "bin_of_sample") => {
    if (!archive.names.includes(name)) return false;
    const array = await archive.array(name);
    const values = toNumbers(await array.read(0, array.rows));
    return values.length !== file[name].length || values.some((value, i) => value !== file[name][i]);
  };
  const differing =
    (await binsSha256(model)) !== file.bins.sha256
      ? "bins"
      : (await isOther("client_of_sample")) || (await isOther("bin_of_sample"))
        ? "samples of clients"
        : undefined;
  if (differing !== undefined)
    throw new FormatError(
      `${arrays} and ${path} have different ${differing}: restore the arrays of that partition, or make it again`,
    );
  return model;
}

export async function withFile<T>(path: string, use: (file: DiskFile) => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function withArchive<T>(path: string, use: (archive: NpzArchive, name: string) => Promise<T>): Promise<T> {
  return withFile(path, async (file) => use(await openNpz(file), path));
}
