import type { Dataset, ExternalLink, Group } from "h5wasm";
import { FormatError } from "../../errors.js";

/** The HDF5 library as it was compiled for the place where the program runs: for Node, or for a page. */
export interface Hdf5Library {
  readonly Dataset: typeof Dataset;
  readonly Group: typeof Group;
  readonly ExternalLink: typeof ExternalLink;
  /** Runs a call of the library and turns its stack of messages into one line. */
  explained<T>(name: string, call: () => T): T;
  /** Whether files may take data from other files. */
  allowsExternalFiles(): boolean;
  /** How a file that takes data from others is used nevertheless. */
  readonly allowExternal: string;
  /** Whether another file, by its path as a file names it, is not there. */
  isMissing(path: string, file: string): boolean;
}

/** Why data that lie in another file are not read. */
export const takesFromOther = (
  other: string,
  { allowExternal }: Pick<Hdf5Library, "allowExternal">,
): string => `takes its data from another file, ${other}: ${allowExternal}`;

/** An error of the library as one line; errors of other kinds pass unchanged. */
export function libraryError(name: string, error: unknown): unknown {
  const text = String((error as Error)?.message ?? error);
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return new FormatError(`${name} is damaged: the HDF5 library failed (${text})`);
  // Of h5wasm itself, where the library fails without a word.
  const own = /^error - (.*?)!?$/.exec(text);
  if (own) return new FormatError(`${name} is damaged: the HDF5 library failed (${own[1]})`);
  if (!text.includes("HDF5-DIAG")) return error;
  if (text.includes("file signature not found")) return new FormatError(`${name} is not an HDF5 file`);
  const truncated = /truncated file: eof = (\d+),.*stored_eof = (\d+)/.exec(text);
  if (truncated)
    return new FormatError(`${name} is truncated: it has ${truncated[1]} of ${truncated[2]} bytes`);
  const filter = /required filter '([^']+)' is not registered/.exec(text);
  if (filter) return new FormatError(`${name} ${compressedBy(filter[1])}`);
  if (text.includes("No space left on device")) return Object.assign(new Error(text), { code: "ENOSPC" });
  const last = [...text.matchAll(/\(\): (.*)/g)].pop()?.[1] ?? "unknown error";
  return new FormatError(`${name}: HDF5 says "${last.trim()}"`);
}

/** What to do about a dataset that a filter compresses which the library does not have. */
export function compressedBy(filter: string): string {
  const short = filter.split(";")[0];
  const way =
    short === "lzf"
      ? `write it again with h5py, which has lzf: new.create_dataset(name, data=old[name][...], compression="gzip")`
      : "repack it with gzip where that filter is installed (h5repack -f GZIP=4, or h5py after import hdf5plugin)";
  return `is compressed by ${short}, which cannot be read here: ${way}`;
}
