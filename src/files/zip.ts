import { FormatError } from "../errors.js";
import { type ByteSource, bytesInMemory, readAll, slice } from "./byte-source.js";
import { crc32 } from "./crc32.js";
import { damaged, type InflateOptions, inflateStart, inflateWhole, refuseBomb } from "./inflate.js";

/** One file of an archive. */
export interface ZipMember {
  readonly name: string;
  readonly size: number;
  /**
   * Its content: a range of the archive where it is stored, else inflated into memory. All of it is read once to compare
   * its checksum, at about 1 GB/s, so that whatever range is read afterwards is what was written.
   */
  open(): Promise<ByteSource>;
  /** Its first bytes, inflated no further than they reach: a look at a header, without the checksum of the whole. */
  start(length: number): Promise<Uint8Array>;
}

export interface ZipOptions extends InflateOptions {
  /** A checksum of 0 means that none was computed, as in PyTorch's files without checksums. */
  readonly zeroIsNoChecksum?: boolean;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  readonly offset: number;
}

const STORED = 0;
const DEFLATED = 8;
const CHECKSUM_STEP = 1 << 22;
const END_SIZE = 22;
const UNKNOWN = 0xffffffff; // "see the zip64 field"

/** Whether bytes begin like a zip archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** Opens an archive through its central directory (PKWARE APPNOTE 6.3, with zip64), in any size. */
export async function openZip(
  source: ByteSource,
  options: ZipOptions = {},
): Promise<ReadonlyMap<string, ZipMember>> {
  const members = new Map<string, ZipMember>();
  for (const entry of await centralDirectory(source)) {
    const { name, size } = entry;
    const first = (length: number) => openMember(source, entry, length, options);
    members.set(name, {
      name,
      size,
      open: () => first(size),
      start: async (length) => readAll(await first(Math.min(length, size))),
    });
  }
  return members;
}

/** The first `size` bytes of a member. */
async function openMember(
  source: ByteSource,
  entry: Entry,
  size: number,
  options: ZipOptions,
): Promise<ByteSource> {
  const name = `${source.name}:${entry.name}`;
  if (entry.flags & 1) throw new FormatError(`${name} is encrypted`);
  const local = view(await source.read(entry.offset, 30));
  if (local.getUint32(0, true) !== 0x04034b50) throw new FormatError(`${name}: the archive is damaged`);
  const nameLength = local.getUint16(26, true);
  const localName = new TextDecoder().decode(await source.read(entry.offset + 30, nameLength));
  if (localName !== entry.name)
    throw new FormatError(`${name}: the archive is damaged (its directory has another name for this member)`);
  const start = entry.offset + 30 + nameLength + local.getUint16(28, true);
  if (entry.method === STORED) {
    if (entry.compressed !== entry.size) throw new FormatError(`${name}: the archive is damaged (two sizes)`);
    const stored = slice(source, start, size, name);
    const hasChecksum = entry.crc !== 0 || !options.zeroIsNoChecksum;
    if (size === entry.size && hasChecksum) await checkStored(stored, entry);
    return stored;
  }
  if (entry.method === DEFLATED) {
    refuseBomb(name, entry.compressed, entry.size);
    const deflated = slice(source, start, entry.compressed, name);
    return bytesInMemory(await inflate(deflated, entry, size, options), name);
  }
  throw new FormatError(
    `${name} is compressed by method ${entry.method}: only stored and deflated can be read`,
  );
}

/** Compares the checksum of a member that is stored as it is, step by step, so that it is never in memory whole. */
async function checkStored(stored: ByteSource, { crc }: Entry): Promise<void> {
  let found = 0;
  for (let at = 0; at < stored.size; at += CHECKSUM_STEP)
    found = crc32(await stored.read(at, Math.min(CHECKSUM_STEP, stored.size - at)), found);
  if (found !== crc) throw new FormatError(`${stored.name} is damaged: its checksum is wrong`);
}

/** The first `size` bytes of a deflated member; the checksum can be compared where that is all of it. */
async function inflate(
  deflated: ByteSource,
  entry: Entry,
  size: number,
  options: ZipOptions,
): Promise<Uint8Array> {
  const whole = size === entry.size;
  const bytes = whole ? await inflateWhole(deflated, size, options) : await inflateStart(deflated, size);
  if (bytes.length !== size || (whole && crc32(bytes) !== entry.crc))
    throw damaged(deflated, "wrong size or checksum");
  return bytes;
}

async function centralDirectory(source: ByteSource): Promise<Entry[]> {
  const { entries, offset, size } = await endOfDirectory(source);
  const bytes = await source.read(offset, size);
  const directory = view(bytes);
  const found: Entry[] = [];
  let at = 0;
  while (found.length < entries) {
    if (at + 46 > size || directory.getUint32(at, true) !== 0x02014b50) {
      throw new FormatError(`${source.name}: the archive's directory is damaged`);
    }
    const nameLength = directory.getUint16(at + 28, true);
    const extraLength = directory.getUint16(at + 30, true);
    const entry = {
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
      flags: directory.getUint16(at + 8, true),
      method: directory.getUint16(at + 10, true),
      crc: directory.getUint32(at + 16, true),
      compressed: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      offset: directory.getUint32(at + 42, true),
    };
    found.push(widen(entry, bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength)));
    at += 46 + nameLength + extraLength + directory.getUint16(at + 32, true);
  }
  // A count that is too small would hide members.
  if (at + 4 <= size && directory.getUint32(at, true) === 0x02014b50)
    throw new FormatError(`${source.name}: the archive's directory is damaged`);
  return found;
}

/** Where the directory lies: the end record is within the last 64 KiB, behind it only a comment. */
async function endOfDirectory(
  source: ByteSource,
): Promise<{ entries: number; offset: number; size: number }> {
  const tailSize = Math.min(source.size, END_SIZE + 0xffff);
  const tail = view(await source.read(source.size - tailSize, tailSize));
  let at = tailSize - END_SIZE;
  while (at >= 0 && tail.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0)
    throw new FormatError(`${source.name} is not a zip archive, or is truncated: it has no directory`);
  const short = {
    entries: tail.getUint16(at + 10, true),
    size: tail.getUint32(at + 12, true),
    offset: tail.getUint32(at + 16, true),
  };
  if (at < 20 || tail.getUint32(at - 20, true) !== 0x07064b50) return short;
  const record = view(await source.read(Number(tail.getBigUint64(at - 12, true)), 56));
  if (record.getUint32(0, true) !== 0x06064b50)
    throw new FormatError(`${source.name}: damaged zip64 directory`);
  return {
    entries: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
  };
}

/** Takes the sizes that do not fit in 32 bits from the zip64 extra field, which lists just those, in this order. */
function widen(entry: Entry, extra: Uint8Array): Entry {
  const field = view(extra);
  for (let at = 0; at + 4 <= extra.length; at += 4 + field.getUint16(at + 2, true)) {
    if (field.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    const wide = (value: number): number => {
      if (value !== UNKNOWN || next + 8 > extra.length) return value;
      next += 8;
      return Number(field.getBigUint64(next - 8, true));
    };
    const size = wide(entry.size);
    const compressed = wide(entry.compressed);
    return { ...entry, size, compressed, offset: wide(entry.offset) };
  }
  return entry;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
