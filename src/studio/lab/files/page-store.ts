import { FileError } from "../../../errors.js";
import type { ByteSource } from "../../../files/byte-source.js";
import { refuseForeign } from "../../../files/file-kinds.js";
import type { FileStore, Paths } from "../../../files/store/file-store.js";

/** A store of files that are found by their names; close it when done. */
export interface PageStore extends FileStore {
  close(): Promise<void>;
}

/** A store of files by their names. The same readers as on the command line read them. */
export function pageStore(sources: readonly Required<ByteSource>[]): PageStore {
  const opened = new Map<string, Promise<{ close(): Promise<void> }>>();
  const found = (path: string): Required<ByteSource> => {
    const source = sources.find(({ name }) => name === path);
    if (source) return source;
    throw new FileError(`${path} is not among the files that are open: open it together with the others`);
  };
  return {
    paths: NAMES,
    exists: (path) => sources.some(({ name }) => name === path),
    namesIn: (folder) =>
      sources.filter(({ name }) => NAMES.dirname(name) === folder).map(({ name }) => NAMES.basename(name)),
    open: async (path) => ({ ...found(path), close: async () => {} }),
    openHdf5: async (path) => {
      const source = found(path);
      await refuseForeign(source);
      const { openHdf5In } = await import("./hdf5-in-page.js"); // a megabyte, for those who need it
      return openHdf5In(source);
    },
    kept: <T extends { close(): Promise<void> }>(key: string, open: () => Promise<T>) => {
      const known = opened.get(key) as Promise<T> | undefined;
      if (known) return known;
      const opening = open();
      opened.set(key, opening);
      opening.catch(() => opened.delete(key)); // the next one hears the reason, too
      return opening;
    },
    close: async () => {
      const all = [...opened.values()];
      opened.clear();
      await Promise.allSettled(all.map(async (one) => (await one).close()));
    },
  };
}

/** Paths below a folder, with slashes between their parts. */
export const NAMES: Paths = {
  sep: "/",
  basename: (path, ending = "") => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return ending !== "" && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  },
  dirname: (path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "."),
  extname: (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const dot = name.lastIndexOf(".");
    return dot > 0 ? name.slice(dot) : "";
  },
  join: (...parts) => parts.filter((part) => part !== "" && part !== ".").join("/"),
  resolve: (path) => path,
  relative: (from, to) => {
    const [folders, target] = [from === "." ? [] : from.split("/"), to.split("/")];
    let common = 0;
    while (common < folders.length && common < target.length - 1 && folders[common] === target[common])
      common++;
    return [...folders.slice(common).map(() => ".."), ...target.slice(common)].join("/");
  },
};
