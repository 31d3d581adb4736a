import { elements } from "../../numerics/shape.js";
import {
  baseAddress,
  DATATYPE,
  EXTERNAL_FILES,
  FILTERS,
  type Hdf5Bytes,
  ifAsExpected,
  insist,
  isText,
  LAYOUT,
  messagesOf,
  numberAt,
  only,
  plainNumber,
} from "./hdf5-messages.js";

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

/** Where the rows of a dataset lie; undefined where they are not there as they are, or cannot be found. */
export function rowPieces(file: Hdf5Bytes, dataset: Hdf5Storage): RowPieces | undefined {
  return ifAsExpected(() => {
    const base = baseAddress(file);
    const messages = messagesOf(file, base, base + plainNumber(dataset.header));
    insist(!messages.some(({ type }) => type === FILTERS || type === EXTERNAL_FILES));
    const littleEndian = isLittleEndian(only(messages, DATATYPE), dataset);
    const { starts, each } = piecesOf(file, base, only(messages, LAYOUT), dataset);
    insist(starts.every((start) => start >= base && start + each * rowBytes(dataset) <= file.size));
    return { starts, each, littleEndian };
  });
}

const rowBytes = ({ shape, size }: Hdf5Storage): number => elements(shape.slice(1)) * size;

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
