import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileError, isRunning } from "./disk.js";

/** Files of one kind that this program keeps in its cache. Whoever writes such files declares them. */
export interface CachePlace<K extends string = string> {
  readonly kind: K;
  readonly folder: () => string;
  /** Whether a file of this name, found in the folder, is one of them. */
  readonly isOurs: (name: string) => boolean;
}

/** A file that this program put into the cache. */
export interface CachedFile<K extends string = string> {
  readonly kind: K;
  readonly path: string;
  readonly bytes: number;
  /** The process that is writing it; undefined for whole files and for what killed processes left. */
  readonly writer?: number;
}

/** Files of the cache that this program made, by name. Files of other programs are not listed. */
export async function cachedFiles<K extends string>(
  places: readonly CachePlace<K>[],
): Promise<CachedFile<K>[]> {
  const found: CachedFile<K>[] = [];
  for (const { kind, folder, isOurs } of places) {
    for (const entry of (await entriesOf(folder())).sort()) {
      const { name, pid } = withoutSuffix(entry);
      const path = join(folder(), entry);
      const status = isOurs(name) ? await lstat(path).catch(() => undefined) : undefined;
      if (!status?.isFile()) continue; // not ours, or gone by now
      const writer = pid !== undefined && isRunning(pid) ? pid : undefined;
      found.push({ kind, path, bytes: status.size, ...(writer !== undefined && { writer }) });
    }
  }
  return found;
}

/**
 * Removes what this program put into the cache; commands regenerate it. Files that a running process is writing stay. A
 * file that a running process is about to read may be removed: that process makes it again.
 */
export async function clearCache<K extends string>(
  places: readonly CachePlace<K>[],
): Promise<CachedFile<K>[]> {
  const files = (await cachedFiles(places)).filter(({ writer }) => writer === undefined);
  // Hashes first: a dataset without one does not count.
  const isHash = ({ path }: CachedFile) => path.endsWith(".sha256");
  for (const { path } of [...files.filter(isHash), ...files.filter((file) => !isHash(file))]) {
    await rm(path, { force: true }).catch((error) => {
      throw fileError(error, path, "write");
    });
  }
  return files;
}

/** `.name.123.tmp` and `name.123.tmp` are what process 123 calls a file while it writes it. */
export function withoutSuffix(entry: string): { readonly name: string; readonly pid?: number } {
  const [, name, pid] = /^\.?(.+)\.(\d+)\.tmp$/.exec(entry) ?? [];
  return name === undefined ? { name: entry } : { name, pid: Number(pid) };
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw fileError(error, folder, "read");
  });
}
