import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

const words = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
const padded = (bytes: Uint8Array) => Buffer.concat([bytes, new Uint8Array((8 - (bytes.length % 8)) % 8)]);

/** A MATLAB file of version 5 with arrays of doubles, whose values are in MATLAB's order: the first axis runs fastest. */
export function matFile(
  arrays: Readonly<Record<string, { readonly shape: readonly number[]; readonly values: Float64Array }>>,
  { isCompressed = false } = {},
): Uint8Array {
  const golden = join(import.meta.dirname, "../golden/arrays/v5-little-endian.mat");
  const header = new Uint8Array(readFileSync(golden)).slice(0, 128);
  const matrices = Object.entries(arrays).map(([name, { shape, values }]) => {
    const letters = new TextEncoder().encode(name);
    const inner = Buffer.concat([
      words(6, 8, 6, 0), // flags: an array of doubles
      padded(Buffer.concat([words(5, 4 * shape.length), words(...shape)])),
      padded(Buffer.concat([words(1, letters.length), letters])),
      words(9, values.byteLength),
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    ]);
    const matrix = Buffer.concat([words(14, inner.length), inner]);
    if (!isCompressed) return matrix;
    const packed = deflateSync(matrix);
    return Buffer.concat([words(15, packed.length), packed]);
  });
  return Buffer.concat([header, ...matrices]);
}
