import { Inflate } from "fflate";
import { FormatError } from "../errors.js";
import { type ByteSource, readAll, slice } from "./byte-source.js";

export interface InflateOptions {
  /**
   * Inflates raw deflated bytes to the size that their container gives: zlib's, where Node is, takes a fraction of the
   * time. Default: step by step in JavaScript, as in a page.
   */
  readonly inflate?: (deflated: Uint8Array, size: number) => Uint8Array;
}

/** A step may expand a thousandfold before its length can be compared with what was promised. */
const WHOLE_STEP = 1 << 16;
const START_STEP = 1 << 14;
/** Data that are larger than this and grow by more than that factor are refused: a zip bomb, or nearly constant. */
const SMALL_BYTES = 1 << 28;
const MOST_GROWTH = 200;

/** Refuses, before memory is taken, data that claim to expand as nobody's data do. */
export function refuseBomb(name: string, compressed: number, size: number): void {
  if (size > SMALL_BYTES && size > MOST_GROWTH * compressed)
    throw new FormatError(
      `${name} expands from ${compressed} to ${size} bytes, as a zip bomb does: unpack it first if you trust it`,
    );
}

/** All of some raw deflated bytes, or a `FormatError` where they do not give exactly `size` bytes. */
export async function inflateWhole(
  deflated: ByteSource,
  size: number,
  options: InflateOptions = {},
): Promise<Uint8Array> {
  const bytes = await explained(deflated, async () =>
    options.inflate ? options.inflate(await readAll(deflated), size) : inflateSteps(deflated, size, true),
  );
  if (bytes.length !== size) throw damaged(deflated, "wrong size or checksum");
  return bytes;
}

/** The first `size` bytes of some raw deflated bytes, or fewer where there are fewer. */
export function inflateStart(deflated: ByteSource, size: number): Promise<Uint8Array> {
  return explained(deflated, () => inflateSteps(deflated, size, false));
}

/** The error that names compressed data as damaged. */
export function damaged({ name }: ByteSource, how: string): FormatError {
  return new FormatError(`${name}: damaged compressed data (${how})`);
}

/**
 * The content of a zlib stream (RFC 1950): a header of two bytes, deflated data, the Adler-32 checksum of the content.
 */
export async function inflateZlib(
  stream: ByteSource,
  size: number,
  options: InflateOptions = {},
): Promise<Uint8Array> {
  const bytes = await inflateWhole(await deflatedPart(stream), size, options);
  const [a, b, c, d] = await stream.read(stream.size - ADLER_BYTES, ADLER_BYTES);
  if (adler32(bytes) !== ((a << 24) | (b << 16) | (c << 8) | d) >>> 0)
    throw damaged(stream, "wrong size or checksum");
  return bytes;
}

/** The first bytes of the content of a zlib stream, which no checksum covers. */
export async function inflateZlibStart(stream: ByteSource, size: number): Promise<Uint8Array> {
  return inflateStart(await deflatedPart(stream), size);
}

const ADLER_BYTES = 4;

async function deflatedPart(stream: ByteSource): Promise<ByteSource> {
  if (stream.size < 2 + ADLER_BYTES) throw damaged(stream, "cut off");
  const [method, flags] = await stream.read(0, 2);
  const isZlib = (method & 0x0f) === 8 && (256 * method + flags) % 31 === 0 && (flags & 0x20) === 0;
  if (!isZlib) throw damaged(stream, "no zlib header");
  return slice(stream, 2, stream.size - 2 - ADLER_BYTES, stream.name);
}

/** Bytes whose sums stay below 2^32 (zlib's NMAX). */
const ADLER_RUN = 5552;

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let start = 0; start < bytes.length; start += ADLER_RUN) {
    const end = Math.min(bytes.length, start + ADLER_RUN);
    for (let i = start; i < end; i++) {
      low += bytes[i];
      high += low;
    }
    low %= 65521;
    high %= 65521;
  }
  return high * 65536 + low;
}

async function explained<T>(deflated: ByteSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FormatError ? error : damaged(deflated, (error as Error).message);
  }
}

/** Inflates step by step, so that only the result is in memory whole; a wrong size is told by another length. */
async function inflateSteps(deflated: ByteSource, size: number, whole: boolean): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  const step = whole ? WHOLE_STEP : START_STEP;
  let filled = 0;
  const stream = new Inflate((chunk) => {
    if (filled < size) bytes.set(chunk.subarray(0, size - filled), filled);
    filled += chunk.length;
  });
  for (let at = 0; at < deflated.size && (whole ? filled <= size : filled < size); at += step) {
    const length = Math.min(step, deflated.size - at);
    stream.push(await deflated.read(at, length), at + length === deflated.size);
  }
  return whole && filled > size ? new Uint8Array(0) : bytes.subarray(0, Math.min(size, filled));
}
