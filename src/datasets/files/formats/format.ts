import type { NamedShape } from "../../../files/name-list.js";
import type { RowArray } from "../../../files/ndarray.js";
import type { FileStore, StoredFile } from "../../../files/store/file-store.js";
import type { ArrayFile, NamedArray } from "../array-file.js";

/** A kind of file that holds arrays. */
export interface ArrayFormat {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** Whether a file is of this kind, by its first bytes; HDF5 also by its ending, to say what is wrong with it. */
  matches(file: StoredFile, start: Uint8Array): Promise<boolean> | boolean;
  /** Opens the file of a store, and closes it in the end. */
  open(file: StoredFile, store: FileStore): Promise<ArrayFile>;
}

/** What a reader of a format gives: names and shapes, and arrays by name. */
export interface ArrayReader {
  list(): readonly NamedShape[] | Promise<readonly NamedShape[]>;
  array(name: string): Promise<RowArray & Partial<Pick<NamedArray, "attributes" | "scales">>>;
}

/** A file of arrays from its reader; what an array is opened for is remembered. */
export function arrayFile(
  format: string,
  file: StoredFile,
  reader: ArrayReader,
  attributes: ArrayFile["attributes"] = {},
): ArrayFile {
  const opened = new Map<string, Promise<NamedArray>>();
  const open = async (name: string) => ({ attributes: {}, scales: [], ...(await reader.array(name)) });
  return {
    path: file.name,
    format,
    attributes,
    list: async () => reader.list(),
    array: (name) => {
      if (!opened.has(name)) opened.set(name, open(name));
      return opened.get(name)!;
    },
    close: () => file.close(),
  };
}
