import { expect } from "vitest";
import { encode, type RowArray } from "../../../src/files/ndarray.js";
import { plainRowsOf } from "../../../src/files/plain/plain-rows.js";

/** Whether rows lie plainly in a file; where they do, each must have the bits that its reader gives. */
export async function isPlainAsRead(array: RowArray): Promise<boolean> {
  const plain = plainRowsOf(array);
  if (!plain) return false;
  const read = await array.read(0, array.rows);
  const all = encode(read);
  for (let row = 0; row < array.rows; row++) {
    const bytes = new Uint8Array(plain.bytes);
    plain.fill(bytes, plain.at(row));
    const own = plain.decode(bytes);
    expect(own.constructor).toBe(read.constructor);
    const expected = all.subarray(row * own.byteLength, (row + 1) * own.byteLength);
    expect(own.byteLength * array.rows).toBe(all.length);
    expect(Buffer.compare(encode(own), expected), `row ${row} of ${array.shape.join("x")}`).toBe(0);
  }
  return true;
}
