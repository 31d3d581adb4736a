import { FormatError } from "../../errors.js";

/*
 * Reads the headers of HDF5 objects (HDF5 File Format Specification, version 3.0) past the library, as far as is needed. At
 * anything unexpected it gives up.
 */

/** The bytes of a file. */
export interface Hdf5Bytes {
  readonly size: number;
  /** A range of them; one that leaves the file is a `FormatError`. */
  read(offset: number, length: number): DataView;
}

/** The file is not as expected. */
class NotPlain extends Error {}

export function insist(condition: boolean): asserts condition {
  if (!condition) throw new NotPlain();
}

/** A number of 64 bits that JavaScript holds exactly; the address of what is not there (all bits set) is none. */
export function plainNumber(value: bigint): number {
  insist(value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER));
  return Number(value);
}

export const numberAt = (view: DataView, at: number): number => plainNumber(view.getBigUint64(at, true));

export const isText = (view: DataView, text: string): boolean =>
  Array.from(text).every((letter, i) => view.getUint8(i) === letter.charCodeAt(0));

/**
 * The byte that addresses count from: that of the superblock, which follows the user block.
 *
 * @param options.extended whether a superblock with an extension will do: it may say that metadata lie elsewhere, as in a cache
 *   image
 */
export function baseAddress(
  { read }: Hdf5Bytes,
  { extended = false }: { readonly extended?: boolean } = {},
): number {
  let place = 0;
  while (!isText(read(place, 8), "\x89HDF\r\n\x1a\n")) place = Math.max(512, 2 * place);
  const block = read(place, 48);
  const version = block.getUint8(8);
  insist(version <= 3);
  const isOld = version < 2;
  const sizes = isOld ? 13 : 9; // of addresses, then of lengths
  insist(block.getUint8(sizes) === 8 && block.getUint8(sizes + 1) === 8);
  insist(numberAt(block, isOld ? 24 + 4 * version : 12) === place);
  insist(isOld || extended || block.getBigUint64(20, true) === 2n ** 64n - 1n);
  return place;
}

/** A message of an object header. */
export interface Message {
  readonly type: number;
  readonly isShared: boolean;
  readonly body: DataView;
}

/** Types of messages. */
export const DATATYPE = 0x03;
export const EXTERNAL_FILES = 0x07;
export const LAYOUT = 0x08;
export const FILTERS = 0x0b;
const CONTINUATION = 0x10;

/** Limits of one object header, beyond which a file is left to the library. */
const MOST_BLOCKS = 1000;
const LONGEST_BLOCK = 1 << 20;

/** The messages of an object header of version 1 or 2, those of its continuation blocks among them. */
export function messagesOf({ read }: Hdf5Bytes, base: number, header: number): readonly Message[] {
  const opening = read(header, 16);
  const isNew = isText(opening, "OHDR");
  insist(opening.getUint8(isNew ? 4 : 0) === (isNew ? 2 : 1));
  const flags = isNew ? opening.getUint8(5) : 0;
  const times = flags & 0x20 ? 16 : 0;
  const limits = flags & 0x10 ? 4 : 0;
  const lengthAt = header + 6 + times + limits;
  const first = isNew
    ? { at: lengthAt + (1 << (flags & 3)), length: smallNumber(read(lengthAt, 1 << (flags & 3))) }
    : { at: header + 16, length: opening.getUint32(8, true) };
  const head = isNew ? (flags & 4 ? 6 : 4) : 8; // bytes before the body of a message
  const found: Message[] = [];
  const blocks = [first];
  for (const { at, length } of blocks) {
    insist(length >= 0 && length <= LONGEST_BLOCK);
    const block = read(at, length);
    for (let next = 0; next + head <= length; ) {
      const type = isNew ? block.getUint8(next) : block.getUint16(next, true);
      const size = block.getUint16(next + (isNew ? 1 : 2), true);
      const isShared = (block.getUint8(next + (isNew ? 3 : 4)) & 2) !== 0;
      insist(next + head + size <= length);
      const body = new DataView(block.buffer, block.byteOffset + next + head, size);
      found.push({ type, isShared, body });
      next += head + size;
      if (type !== CONTINUATION) continue;
      const more = { at: base + numberAt(body, 0), length: numberAt(body, 8) };
      // In version 2, a signature precedes the messages and a checksum follows them.
      insist(!isNew || isText(read(more.at, 4), "OCHK"));
      blocks.push(isNew ? { at: more.at + 4, length: more.length - 8 } : more);
      insist(blocks.length <= MOST_BLOCKS);
    }
  }
  return found;
}

/** A number of 1, 2, 4 or 8 bytes. */
function smallNumber(view: DataView): number {
  if (view.byteLength === 8) return numberAt(view, 0);
  return Array.from({ length: view.byteLength }, (_, i) => view.getUint8(i) * 256 ** i).reduce(
    (sum, part) => sum + part,
  );
}

/** The one message of a type. One that stands elsewhere, as that of a named type, is left to the library. */
export function only(messages: readonly Message[], wanted: number): DataView {
  const found = messages.filter(({ type }) => type === wanted);
  insist(found.length === 1 && !found[0].isShared);
  return found[0].body;
}

/** What a reader finds; undefined where the file is not as it expects. */
export function ifAsExpected<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotPlain || error instanceof FormatError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}
