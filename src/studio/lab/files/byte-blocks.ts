import { type ByteSource, checkRange } from "../../../files/byte-source.js";

/** Bytes that are far away: on a disk behind the browser, or on a server. */
export interface DistantBytes {
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The same in the calling thread: the HDF5 library cannot wait. */
  readNow(offset: number, length: number): Uint8Array;
}

/** Bytes of a block, and how many blocks are kept: headers are many small reads that lie close together. */
const BLOCK = 1 << 17;
const KEPT = 64;

/** Distant bytes as a source. Small reads go through blocks, of which the last ones are kept; large ones do not. */
export function inBlocks(distant: DistantBytes): Required<ByteSource> {
  const { name, size } = distant;
  const blocks = new Map<number, Uint8Array>();
  const kept = (number: number): Uint8Array | undefined => {
    const block = blocks.get(number);
    if (block) {
      blocks.delete(number); // to be the last one that goes
      blocks.set(number, block);
    }
    return block;
  };
  const keep = (number: number, block: Uint8Array): Uint8Array => {
    blocks.set(number, block);
    if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value!);
    return block;
  };
  const extent = (number: number) => [number * BLOCK, Math.min(BLOCK, size - number * BLOCK)] as const;
  /** Which part of each block a read takes. */
  const parts = (offset: number, length: number) => {
    const found = [];
    for (let at = offset; at < offset + length; ) {
      const number = Math.floor(at / BLOCK);
      const end = Math.min(offset + length, (number + 1) * BLOCK);
      found.push({ number, from: at - number * BLOCK, to: end - number * BLOCK, place: at - offset });
      at = end;
    }
    return found;
  };
  return {
    name,
    size,
    async read(offset, length) {
      checkRange({ name, size }, offset, length);
      if (length >= BLOCK) return distant.read(offset, length);
      const bytes = new Uint8Array(length);
      for (const { number, from, to, place } of parts(offset, length)) {
        const block = kept(number) ?? keep(number, await distant.read(...extent(number)));
        bytes.set(block.subarray(from, to), place);
      }
      return bytes;
    },
    fill(into, offset) {
      checkRange({ name, size }, offset, into.length);
      if (into.length >= BLOCK) return into.set(distant.readNow(offset, into.length));
      for (const { number, from, to, place } of parts(offset, into.length)) {
        const block = kept(number) ?? keep(number, distant.readNow(...extent(number)));
        into.set(block.subarray(from, to), place);
      }
    },
  };
}
