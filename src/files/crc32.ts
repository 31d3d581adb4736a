/** Remainders of each byte followed by none to fifteen zero bytes, one table after another. */
const TABLES = remainders(16);

/**
 * The checksum of ZIP archives and PNG files (ISO 3309), sixteen bytes at a time, which is several times as fast as one.
 *
 * @param before the checksum of the bytes that come before these, where a file is read piece by piece
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const t = TABLES;
  const { length } = bytes;
  let crc = ~before;
  let i = 0;
  for (; i + 16 <= length; i += 16) {
    const first = crc ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    crc =
      t[3840 + (first & 255)] ^
      t[3584 + ((first >>> 8) & 255)] ^
      t[3328 + ((first >>> 16) & 255)] ^
      t[3072 + (first >>> 24)] ^
      t[2816 + bytes[i + 4]] ^
      t[2560 + bytes[i + 5]] ^
      t[2304 + bytes[i + 6]] ^
      t[2048 + bytes[i + 7]] ^
      t[1792 + bytes[i + 8]] ^
      t[1536 + bytes[i + 9]] ^
      t[1280 + bytes[i + 10]] ^
      t[1024 + bytes[i + 11]] ^
      t[768 + bytes[i + 12]] ^
      t[512 + bytes[i + 13]] ^
      t[256 + bytes[i + 14]] ^
      t[bytes[i + 15]];
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ t[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

function remainders(count: number): Int32Array {
  const tables = new Int32Array(256 * count);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++)
    tables[i] = (tables[i - 256] >>> 8) ^ tables[tables[i - 256] & 255];
  return tables;
}
