import { toFloats } from "../files/ndarray.js";
import { type PlainRows, plainRowsOf } from "../files/plain/plain-rows.js";
import type { Fields } from "./fields.js";

/** Samples that lie in a file as they are, each in one piece. */
export interface PlainFields extends Pick<PlainRows, "bytes" | "at" | "fill"> {
  /** Values as `Fields.read` gives them, from the bytes of whole samples; may be a view of them. */
  decode(bytes: Uint8Array): Float32Array | Float64Array;
}

/** Where samples lie; undefined where they are compressed, chosen parts of an array, in memory and the like. */
export function plainFieldsOf(fields: Fields): PlainFields | undefined {
  const rows = plainRowsOf(fields);
  return rows && { ...rows, decode: (bytes) => toFloats(rows.decode(bytes)) };
}
