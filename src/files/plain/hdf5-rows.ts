import { FormatError } from "../../errors.js";
import { elements } from "../../numerics/shape.js";

/*
 * Finds where the rows of an HDF5 dataset lie (HDF5 File Format Specification, version 3.0): of one that is contiguous,
 * or in chunks of whole rows without filters. At anything else it gives up, and the library reads.
 */

/** What the library says of a dataset. */
export interface Hdf5Storage {
  readonly shape: readonly number[];
  /** Lengths of a chunk along each axis; null where the dataset has none. */
  readonly chunks: readonly number[] | null;
  /** HDF5's class of the elements' type, and the bytes of one. */
  readonly type: number;
  readonly size: number;
  /** Address of the object header. */
  readonly header: bigint;
}

/** Where rows lie: `each` of them in one piece from each of the `starts` on; the last piece may hold fewer. */
export interface RowPieces {
  readonly starts: Float64Array;
  readonly each: number;
  readonly littleEndian: boolean;
}

/** The bytes of a file. */
export interface Hdf5Bytes {
  readonly size: number;
  /** A range of them; one that leaves the file is a `FormatError`. */
  read(offset: number, length: number): DataView;
}

/** Where the rows of a dataset lie; undefined where they are not there as they are, or cannot be found. */
export function rowPieces(file: Hdf5Bytes, dataset: Hdf5Storage): RowPieces | undefined {
  try {
    const base = baseAddress(file);
    const messages = messagesOf(file, base, base + plainNumber(dataset.header));
    insist(!messages.some(({ type }) => type === FILTERS || type === EXTERNAL_FILES));
    const littleEndian = isLittleEndian(only(messages, DATATYPE), dataset);
    const { starts, each } = piecesOf(file, base, only(messages, LAYOUT), dataset);
    insist(starts.every((start) => start >= base && start + each * rowBytes(dataset) <= file.size));
    return { starts, each, littleEndian };
  } catch (error) {
    if (error instanceof NotPlain || error instanceof FormatError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}

/** The rows of a dataset are not plain bytes, or the file is not as expected. */
class NotPlain extends Error {}

function insist(condition: boolean): asserts condition {
  if (!condition) throw new NotPlain();
}

/** A number of 64 bits that JavaScript holds exactly; the address of what is not there (all bits set) is none. */
function plainNumber(value: bigint): number {
  insist(value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER));
  return Number(value);
}

const numberAt = (view: DataView, at: number): number => plainNumber(view.getBigUint64(at, true));

const isText = (view: DataView, text: string): boolean =>
  Array.from(text).every((letter, i) => view.getUint8(i) === letter.charCodeAt(0));

const rowBytes = ({ shape, size }: Hdf5Storage): number => elements(shape.slice(1)) * size;

/** The byte that addresses count from: that of the superblock, which follows the user block. */
function baseAddress({ read }: Hdf5Bytes): number {
  let place = 0;
  while (!isText(read(place, 8), "\x89HDF\r\n\x1a\n")) place = Math.max(512, 2 * place);
  const block = read(place, 48);
  const version = block.getUint8(8);
  insist(version <= 3);
  const isOld = version < 2;
  const sizes = isOld ? 13 : 9; // of addresses, then of lengths
  insist(block.getUint8(sizes) === 8 && block.getUint8(sizes + 1) === 8);
  insist(numberAt(block, isOld ? 24 + 4 * version : 12) === place);
  // An extension may say that metadata lie elsewhere, as in a cache image.
  insist(isOld || block.getBigUint64(20, true) === 2n ** 64n - 1n);
  return place;
}

/** A message of an object header. */
interface Message {
  readonly type: number;
  readonly isShared: boolean;
  readonly body: DataView;
}

/** Types of messages. */
const DATATYPE = 0x03;
const EXTERNAL_FILES = 0x07;
const LAYOUT = 0x08;
const FILTERS = 0x0b;
const CONTINUATION = 0x10;

/** Limits of one object header, beyond which a file is left to the library. */
const MOST_BLOCKS = 1000;
const LONGEST_BLOCK = 1 << 20;

/** The messages of an object header of version 1 or 2, those of its continuation blocks among them. */
function messagesOf({ read }: Hdf5Bytes, base: number, header: number): readonly Message[] {
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
function only(messages: readonly Message[], wanted: number): DataView {
  const found = messages.filter(({ type }) => type === wanted);
  insist(found.length === 1 && !found[0].isShared);
  return found[0].body;
}

/** Classes of types. */
const INTEGER = 0;
const FLOAT = 1;
const ENUMERATION = 8;

/** The byte order of elements. The library does not change their bits but for this order. */
function isLittleEndian(body: DataView, { type, size }: Hdf5Storage): boolean {
  insist((body.getUint8(0) & 0xf) === type && body.getUint32(4, true) === size);
  insist(type === INTEGER || type === FLOAT || (type === ENUMERATION && size === 1));
  const bits = body.getUint8(1);
  insist(type !== FLOAT || (bits & 0x40) === 0); // VAX has an order of its own
  return type === ENUMERATION || (bits & 1) === 0;
}

/** Classes of layouts. */
const CONTIGUOUS = 1;
const CHUNKED = 2;

function piecesOf(
  file: Hdf5Bytes,
  base: number,
  body: DataView,
  dataset: Hdf5Storage,
): Pick<RowPieces, "starts" | "each"> {
  const { shape, chunks, size } = dataset;
  const [version, kind] = [body.getUint8(0), body.getUint8(1)];
  if (kind === CONTIGUOUS) {
    insist((version === 3 || version === 4) && chunks === null);
    insist(numberAt(body, 10) === elements(shape) * size);
    return { starts: Float64Array.of(base + numberAt(body, 2)), each: shape[0] };
  }
  insist(kind === CHUNKED && version === 3 && chunks !== null);
  insist(body.getUint8(2) === shape.length + 1);
  const stored = [...chunks, size];
  insist(stored.every((length, axis) => body.getUint32(11 + 4 * axis, true) === length));
  insist(shape.every((length, axis) => axis === 0 || chunks[axis] === length));
  const [each] = chunks;
  insist(each >= 1);
  return { starts: chunkStarts(file, base, base + numberAt(body, 3), dataset, each), each };
}

/** Chunks up to which all are looked up before the first is read. */
const MOST_CHUNKS = 1 << 20;

/** Where the chunks of `each` rows lie, from the nodes of a B-tree of version 1. */
function chunkStarts(
  { read }: Hdf5Bytes,
  base: number,
  root: number,
  dataset: Hdf5Storage,
  each: number,
): Float64Array {
  const { shape } = dataset;
  const count = Math.ceil(shape[0] / each);
  insist(count <= MOST_CHUNKS);
  const starts = new Float64Array(count).fill(NaN);
  const keyBytes = 8 + 8 * (shape.length + 1);
  const bytes = each * rowBytes(dataset);
  let found = 0;
  const visit = (at: number, level?: number): void => {
    const node = read(at, 24);
    insist(isText(node, "TREE") && node.getUint8(4) === 1);
    const own = node.getUint8(5);
    const used = node.getUint16(6, true);
    insist((level === undefined || own === level) && used > 0);
    const entries = read(at + 24, used * (keyBytes + 8));
    for (let i = 0; i < used; i++) {
      const key = i * (keyBytes + 8);
      const child = base + numberAt(entries, key + keyBytes);
      if (own > 0) {
        visit(child, own - 1);
        continue;
      }
      const row = numberAt(entries, key + 8);
      const others = shape.map((_, axis) => numberAt(entries, key + 16 + 8 * axis));
      insist(entries.getUint32(key, true) === bytes && entries.getUint32(key + 4, true) === 0);
      insist(others.every((place) => place === 0) && row % each === 0 && Number.isNaN(starts[row / each]));
      starts[row / each] = child;
      found++;
    }
  };
  visit(root);
  insist(found === count); // one that was never written holds fill values
  return starts;
}
