import { maskedCrc32c } from "./crc32c.js";

/** Bytes before and after the data of a record. */
const HEAD = 12;
const FOOT = 4;

/**
 * A record of a TFRecord file: length as uint64, its masked checksum, the data, their masked checksum, all little-endian
 * (tensorflow/core/lib/io/record_writer.h).
 */
export function frame(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(HEAD + data.length + FOOT);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(record.subarray(0, 8)), true);
  record.set(data, HEAD);
  view.setUint32(HEAD + data.length, maskedCrc32c(data), true);
  return record;
}

/** The records of a file up to the first that is damaged or half written, as TensorBoard reads it. */
export function* records(file: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at + HEAD + FOOT <= file.length; ) {
    if (view.getUint32(at + 8, true) !== maskedCrc32c(file.subarray(at, at + 8))) return;
    const length = Number(view.getBigUint64(at, true));
    const end = at + HEAD + length;
    if (end + FOOT > file.length) return;
    const data = file.subarray(at + HEAD, end);
    if (view.getUint32(end, true) !== maskedCrc32c(data)) return;
    yield data;
    at = end + FOOT;
  }
}
