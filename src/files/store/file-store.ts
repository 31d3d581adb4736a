import type { ByteSource } from "../byte-source.js";
import type { Hdf5File } from "../hdf5/hdf5-file.js";
import type { InflateOptions } from "../inflate.js";

/** A file that is open for reading by range; close it when done. */
export interface StoredFile extends ByteSource {
  close(): Promise<void>;
}

/** How paths are taken apart and joined: `node:path`, or the same for the names of files in a page. */
export interface Paths {
  readonly sep: string;
  basename(path: string, ending?: string): string;
  dirname(path: string): string;
  extname(path: string): string;
  join(...parts: string[]): string;
  resolve(path: string): string;
  relative(from: string, to: string): string;
}

/** Where files of data are found by their paths: on a disk, or among those that a page was given. */
export interface FileStore extends InflateOptions {
  readonly paths: Paths;
  open(path: string): Promise<StoredFile>;
  openHdf5(path: string): Promise<Hdf5File>;
  exists(path: string): boolean;
  /** Names of what a folder holds; of a missing folder none. */
  namesIn(folder: string): readonly string[];
  /**
   * What was opened before under this key. A store that has this keeps files open until it is closed itself: opening one
   * again costs nothing. Without it, who opens a file closes it.
   */
  kept?<T extends { close(): Promise<void> }>(key: string, open: () => Promise<T>): Promise<T>;
}
