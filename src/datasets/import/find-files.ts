import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "../../files/disk.js";

/** The files among `paths`, and those that lie under its folders, however deep; in the order of their names. */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(filesAt));
  return found.flat();
}

async function filesAt(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = (await readdir(path)).filter((name) => !name.startsWith(".")).sort();
    return (await Promise.all(entries.map((name) => filesAt(join(path, name))))).flat();
  } catch (error) {
    throw fileError(error, path, "read");
  }
}
