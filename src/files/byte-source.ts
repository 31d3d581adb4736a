import { FormatError } from "../errors.js";

/**
 * Bytes that can be read by range: a file on disk, a `File` in a browser, an array in memory. All readers of this
 * folder use this interface, so a multi-gigabyte file is never loaded whole.
 */
export interface ByteSource {
  /** What error messages call it, usually the path. */
  readonly name: string;
  readonly size: number;
  /** Exactly `length` bytes from `offset` on; a range that leaves the source is a `FormatError`. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Fills `into` with the bytes from `offset` on, in the calling thread; only a file on disk has this. */
  fill?(into: Uint8Array, offset: number): void;
}

/** A source of bytes in memory. Reads are views, not copies. */
export function bytesInMemory(bytes: Uint8Array, name = "bytes"): ByteSource {
  return {
    name,
    size: bytes.length,
    read: async (offset, length) => {
      checkRange({ name, size: bytes.length }, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** The part of a source from `offset` on, as a source of its own. */
export function slice(source: ByteSource, offset: number, size: number, name = source.name): ByteSource {
  const { fill } = source;
  return {
    name,
    size,
    read: async (start, length) => {
      checkRange({ name, size }, start, length);
      return source.read(offset + start, length);
    },
    fill:
      fill &&
      ((into, start) => {
        checkRange({ name, size }, start, into.length);
        fill(into, offset + start);
      }),
  };
}

/** All the bytes of a source. */
export function readAll(source: ByteSource): Promise<Uint8Array> {
  return source.read(0, source.size);
}

/** Bytes of the longest text: V8 makes no strings of more letters. */
const LONGEST_TEXT = 2 ** 29 - 24;

/** All of a source as UTF-8 text, without its byte-order mark. */
export async function readText(source: ByteSource): Promise<string> {
  if (source.size > LONGEST_TEXT)
    throw new FormatError(
      `${source.name} is too large for text: ${source.size} bytes of at most ${LONGEST_TEXT}`,
    );
  return new TextDecoder().decode(await readAll(source));
}

/** Throws where a range leaves a source, which is what a truncated file looks like to its reader. */
export function checkRange(source: Pick<ByteSource, "name" | "size">, offset: number, length: number): void {
  if (offset < 0 || length < 0 || offset + length > source.size) {
    throw new FormatError(
      `${source.name} is truncated: it ends at byte ${source.size}, but ${offset + length} are needed`,
    );
  }
}
