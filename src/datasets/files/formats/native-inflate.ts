import { inflateRawSync } from "node:zlib";
import type { InflateOptions } from "../../../files/inflate.js";

/**
 * zlib's own inflate, several times as fast as the one in JavaScript. One chunk holds the whole result, so that it is in
 * memory once; data that give more than they promise are refused.
 */
export const NATIVE_INFLATE: Required<InflateOptions> = {
  inflate: (deflated, size) =>
    inflateRawSync(deflated, { maxOutputLength: Math.max(1, size), chunkSize: size + 64 }),
};
