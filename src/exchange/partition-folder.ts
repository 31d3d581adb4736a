import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { DataError, FileError } from "../errors.js";
import { type ByteSource, bytesInMemory } from "../files/byte-source.js";
import { openFile } from "../files/disk.js";
import { readPartition } from "./foreign-partition.js";
import { huggingFaceTable, isHuggingFace } from "./hugging-face.js";

/** The partition in our own layout, in every folder that is exported. */
export const PARTITION_COPY = "partition.json";

/** Files of the folders in which FedLab, FedML and FL-bench keep a partition. */
const KNOWN = ["client_dict.pkl", "net_dataidx_map.txt", "partition.pkl"];

/**
 * The file of a partition, also where the folder around it was named, as `export` writes some. A folder of a Hugging Face
 * dataset stays as it is, since all its files together are the partition; with our own copy beside it, that copy, which
 * knows the bins too, once it is seen to say the same.
 */
export async function partitionFileIn(path: string): Promise<string> {
  if (!(await isFolder(path))) return path;
  const entries = await filesBelow(path);
  const found = KNOWN.find((name) => entries.includes(name));
  if (found) return join(path, found);
  if (isHuggingFace(entries) && entries.includes(PARTITION_COPY)) {
    const copy = join(path, PARTITION_COPY);
    const [held, copied] = await Promise.all(
      [path, copy].map((one) => withPartition(one, (source) => readPartition(source))),
    );
    if (held.clientOfSample.join() !== copied.clientOfSample.join())
      throw new DataError(`${copy} has other clients than the dataset around it: remove what is out of date`);
    return copy;
  }
  if (isHuggingFace(entries)) return path;
  throw new FileError(
    `${path} is a folder with none of ${KNOWN.join(", ")} and no Hugging Face dataset: name the file of the partition`,
  );
}

export interface PartitionReading {
  /** Column of a table that holds the client. */
  readonly column?: string;
  /** Called with what the clients of a Hugging Face folder are, in words. */
  readonly onClients?: (words: string) => void;
}

/** Opens a partition: a file, or a folder of a Hugging Face dataset as the table of its clients. */
export async function withPartition<T>(
  path: string,
  use: (source: ByteSource) => Promise<T>,
  { column, onClients }: PartitionReading = {},
): Promise<T> {
  if (await isFolder(path)) {
    const entries = await filesBelow(path);
    const files = entries.map((entry) => ({ path: entry, open: () => openFile(join(path, entry)) }));
    const { csv, clients } = await huggingFaceTable(files, path, column);
    onClients?.(`${path}: clients are ${clients}`);
    return use(bytesInMemory(new TextEncoder().encode(csv), path));
  }
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Whether a folder holds the partition of another tool. */
export async function isToolFolder(path: string): Promise<boolean> {
  const entries = await filesBelow(path);
  return KNOWN.some((name) => entries.includes(name)) || isHuggingFace(entries);
}

export async function isFolder(path: string): Promise<boolean> {
  return existsSync(path) && (await stat(path)).isDirectory();
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.replace(/[\\/]+$/, "").length + 1))
    .map((name) => name.split(sep).join("/"));
}
