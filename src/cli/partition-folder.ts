import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../errors.js";

/** Files of the folders in which FedLab, FedML and FL-bench keep a partition. */
const KNOWN = ["client_dict.pkl", "net_dataidx_map.txt", "partition.pkl"];

/** The file of a partition, also where the folder around it was named, as `export` writes some. */
export async function partitionFileIn(path: string): Promise<string> {
  if (!existsSync(path) || !(await stat(path)).isDirectory()) return path;
  const entries = await readdir(path);
  const found = KNOWN.find((name) => entries.includes(name));
  if (found) return join(path, found);
  if (entries.includes("partition_0"))
    throw new FileError(
      `${path} is an export for Flower, which is not read back: name the partition that it was made from`,
    );
  throw new FileError(`${path} is a folder with none of ${KNOWN.join(", ")}: name the file of the partition`);
}
