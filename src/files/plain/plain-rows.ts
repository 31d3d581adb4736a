import type { RowArray, Values } from "../ndarray.js";

/** Rows of an array that lie in a file as they are, each in one piece: they can be read without the format's library. */
export interface PlainRows {
  /** Bytes of a row. */
  readonly bytes: number;
  /** Byte of the file at which a row begins. */
  at(row: number): number;
  /** Fills an array with the file's bytes from `at` on, in the calling thread: for threads that only read. */
  fill(into: Uint8Array, at: number): void;
  /** Values from the bytes of whole rows; may be a view of them. */
  decode(bytes: Uint8Array): Values;
}

type Read = (start: number, end: number) => Promise<Values>;

/**
 * By the function that reads the same numbers. An array that wraps another one and reads other numbers has a function of
 * its own, so that it cannot inherit these rows by mistake.
 */
const noted = new WeakMap<Read, () => PlainRows | undefined>();

/** Notes how the rows that `read` gives can be found as plain bytes; they are looked for when first asked for. */
export function notePlainRows(read: Read, find: () => PlainRows | undefined): void {
  let found: { readonly rows: PlainRows | undefined } | undefined;
  noted.set(read, () => {
    found ??= { rows: find() };
    return found.rows;
  });
}

/** Where the rows lie that an array or a stack of fields reads; undefined where they are compressed, views and the like. */
export function plainRowsOf({ read }: Pick<RowArray, "read">): PlainRows | undefined {
  return noted.get(read)?.();
}
