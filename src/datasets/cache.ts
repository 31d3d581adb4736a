import { lstat, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { isCachedKernel, kernelFolder } from "../engine/cuda/device/cubin-cache.js";
import { cacheFolder } from "../files/cache-folder.js";
import { fileError, isRunning } from "../files/disk.js";
import { isCachedDataset } from "./generated-file.js";

/** What the cache holds: generated datasets, and kernels that were compiled for GPUs. */
export type CacheKind = "data" | "kernels";
export const CACHE_KINDS: readonly CacheKind[] = ["data", "kernels"];

/** A file that this program put into the cache. */
export interface CachedFile {
  readonly kind: CacheKind;
  readonly path: string;
  readonly bytes: number;
  /** The process that is writing it; undefined for whole files and for what killed processes left. */
  readonly writer?: number;
}

const PLACES: Readonly<
  Record<CacheKind, { readonly folder: () => string; readonly isOurs: (name: string) => boolean }>
> = {
  data: { folder: cacheFolder, isOurs: isCachedDataset },
  kernels: { folder: kernelFolder, isOurs: isCachedKernel },
};

/** Files of the cache that this program made, by name; whatever else lies there is not ours to list. */
export async function cachedFiles(kinds: readonly CacheKind[] = CACHE_KINDS): Promise<CachedFile[]> {
  const found: CachedFile[] = [];
  for (const kind of kinds) {
    const { folder, isOurs } = PLACES[kind];
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
 * Removes what this program put into the cache; what was removed comes back. Files that a running process is writing
 * stay. One that a running process is about to read may go: it is made again.
 */
export async function clearCache(kinds: readonly CacheKind[] = CACHE_KINDS): Promise<CachedFile[]> {
  const files = (await cachedFiles(kinds)).filter(({ writer }) => writer === undefined);
  // Hashes first: a dataset without one does not count.
  const isHash = ({ path }: CachedFile) => path.endsWith(".sha256");
  for (const { path } of [...files.filter(isHash), ...files.filter((file) => !isHash(file))]) {
    await rm(path, { force: true }).catch((error) => {
      throw fileError(error, path, "write");
    });
  }
  return files;
}

/** The task of a dataset. */
export const cachedTask = ({ path }: Pick<CachedFile, "path">): string =>
  withoutSuffix(basename(path)).name.replace(/-[0-9a-f]{16}\.h5(\.sha256)?$/, "");

/** `.name.123.tmp` and `name.123.tmp` are what process 123 calls a file while it writes it. */
function withoutSuffix(entry: string): { readonly name: string; readonly pid?: number } {
  const [, name, pid] = /^\.?(.+)\.(\d+)\.tmp$/.exec(entry) ?? [];
  return name === undefined ? { name: entry } : { name, pid: Number(pid) };
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw fileError(error, folder, "read");
  });
}
