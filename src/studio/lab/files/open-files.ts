import { inBlocks } from "./byte-blocks.js";
import type { GivenFile, GivenFiles } from "./given-files.js";
import { ownFile } from "./own-file.js";
import { type PageStore, pageStore } from "./page-store.js";
import { serverFile } from "./server-file.js";

/** The store of the files that are open, which stays while they do: a compressed file is inflated once. */
let held: { readonly key: string; readonly store: PageStore } | undefined;

/** The files that the page was given, as a store. */
export function storeOf({ files }: GivenFiles): PageStore {
  const key = JSON.stringify(files.map(stampOf));
  if (held?.key === key) return held.store;
  held?.store.close().catch(() => {});
  const store = pageStore(
    files.map((given) =>
      inBlocks(given.kind === "own" ? ownFile(given.name, given.file) : serverFile(given)),
    ),
  );
  held = { key, store };
  return store;
}

/** Tells a file from another one of the same name. */
const stampOf = (given: GivenFile) =>
  given.kind === "own"
    ? [given.name, given.file.size, given.file.lastModified]
    : [given.name, given.size, given.modified, given.address];
