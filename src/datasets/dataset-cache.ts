import { basename } from "node:path";
import { cacheFolder } from "../files/cache-folder.js";
import { type CachedFile, type CachePlace, withoutSuffix } from "../files/cached-files.js";
import { isCachedDataset } from "./generated-file.js";

/** Generated datasets in the cache. */
export const DATASET_CACHE: CachePlace<"data"> = {
  kind: "data",
  folder: cacheFolder,
  isOurs: isCachedDataset,
};

/** The task of a cached dataset. */
export const cachedTask = ({ path }: Pick<CachedFile, "path">): string =>
  withoutSuffix(basename(path)).name.replace(/-[0-9a-f]{16}\.h5(\.sha256)?$/, "");
