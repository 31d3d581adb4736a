import { open } from "node:fs/promises";
import { type JournalLine, parseJournalLine } from "../../../records/journal.js";

/** What of a journal was read so far. */
export interface JournalTail {
  /** Whole lines that are measurements. */
  readonly lines: readonly JournalLine[];
  /** Numbers of whole lines that are none, from 1. */
  readonly broken: readonly number[];
  /** Bytes of all whole lines. */
  readonly bytes: number;
  /** The last of these bytes, by which a journal that was cut and written on is told. */
  readonly end: Uint8Array;
  /** How many lines of the tail before this one still hold. */
  readonly kept: number;
}

export const NO_LINES: JournalTail = { lines: [], broken: [], bytes: 0, end: new Uint8Array(), kept: 0 };

/** Bytes that tell the end of a journal from another: a line has the hash of its parameters. */
const MARK = 256;

/**
 * Reads on in a journal that may be written to at this moment. A half line at its end waits for its other half; a whole
 * line that is no measurement is left out and counted. A journal that was cut is read from its start.
 */
export async function readOn(path: string, before: JournalTail): Promise<JournalTail> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { bytes, end: mark } = before;
    const holds = size >= bytes && (await bytesOf(file, bytes - mark.length, bytes)).equals(mark);
    const known = holds ? before : NO_LINES;
    if (size === known.bytes) return { ...known, kept: known.lines.length };
    const added = await bytesOf(file, known.bytes, size);
    const end = added.lastIndexOf(0x0a) + 1;
    if (end === 0) return { ...known, kept: known.lines.length };
    const texts = added.subarray(0, end).toString().split("\n").slice(0, -1);
    const parsed = texts.map(parseJournalLine);
    const first = known.lines.length + known.broken.length + 1;
    return {
      lines: [...known.lines, ...parsed.filter((line) => line !== undefined)],
      broken: [...known.broken, ...parsed.flatMap((line, i) => (line ? [] : [first + i]))],
      bytes: known.bytes + end,
      end: Uint8Array.from(added.subarray(Math.max(0, end - MARK), end)),
      kept: known.lines.length,
    };
  } finally {
    await file.close();
  }
}

/** Bytes from one place to another; fewer where the file has become shorter meanwhile. */
async function bytesOf(file: Awaited<ReturnType<typeof open>>, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.subarray(0, bytesRead);
}
