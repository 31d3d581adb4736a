import { crc32 } from "./crc32.js";

/** Sizes and places in a ZIP archive are 32-bit numbers. */
export const LARGEST = 2 ** 32 - 1;
const MOST_MEMBERS = 2 ** 16 - 1;
const LOCAL = { signature: 0x04034b50, size: 30 };
const CENTRAL = { signature: 0x02014b50, size: 46 };
const END = { signature: 0x06054b50, size: 22 };
/** Version 2.0, names in UTF-8, stored, midnight of 1 January 1980. */
const COMMON = [20, 0x800, 0, 0, 0x21] as const;

/** A ZIP archive whose members are stored as they are. */
export function storedZip(members: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const encoder = new TextEncoder();
  const entries = Object.entries(members).map(([name, bytes]) => ({ name: encoder.encode(name), bytes }));
  const local = entries.reduce((size, { name, bytes }) => size + LOCAL.size + name.length + bytes.length, 0);
  const central = entries.reduce((size, { name }) => size + CENTRAL.size + name.length, 0);
  if (local + central > LARGEST || entries.length > MOST_MEMBERS)
    throw new RangeError(
      `${local + central} bytes in ${entries.length} members are too many for a ZIP archive`,
    );
  const archive = new Uint8Array(local + central + END.size);
  const view = new DataView(archive.buffer);
  const write16 = (at: number, ...values: readonly number[]) =>
    values.forEach((value, i) => {
      view.setUint16(at + 2 * i, value, true);
    });
  const write32 = (at: number, ...values: readonly number[]) =>
    values.forEach((value, i) => {
      view.setUint32(at + 4 * i, value, true);
    });
  let at = 0;
  let listed = local;
  for (const { name, bytes } of entries) {
    const about = [crc32(bytes), bytes.length, bytes.length];
    write32(at, LOCAL.signature);
    write16(at + 4, ...COMMON);
    write32(at + 14, ...about);
    write16(at + 26, name.length, 0);
    archive.set(name, at + LOCAL.size);
    archive.set(bytes, at + LOCAL.size + name.length);
    write32(listed, CENTRAL.signature);
    write16(listed + 4, 20, ...COMMON);
    write32(listed + 16, ...about);
    write16(listed + 28, name.length);
    write32(listed + 42, at);
    archive.set(name, listed + CENTRAL.size);
    at += LOCAL.size + name.length + bytes.length;
    listed += CENTRAL.size + name.length;
  }
  write32(listed, END.signature);
  write16(listed + 8, entries.length, entries.length);
  write32(listed + 12, central, local);
  return archive;
}
