import { existsSync, readdirSync } from "node:fs";
import * as paths from "node:path";
import { inflateRawSync } from "node:zlib";
import { openFile } from "../disk.js";
import { openHdf5 } from "../hdf5.js";
import type { InflateOptions } from "../inflate.js";
import type { FileStore } from "./file-store.js";

/**
 * zlib's own inflate, several times as fast as the one in JavaScript. One chunk holds the whole result, so that it is in
 * memory once; data that give more than they promise are refused.
 */
export const NATIVE_INFLATE: Required<InflateOptions> = {
  inflate: (deflated, size) =>
    inflateRawSync(deflated, { maxOutputLength: Math.max(1, size), chunkSize: size + 64 }),
};

/** The files of this machine. */
export const DISK: FileStore = {
  ...NATIVE_INFLATE,
  paths,
  open: openFile,
  openHdf5,
  exists: existsSync,
  namesIn: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
};
