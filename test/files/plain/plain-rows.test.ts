import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { bytesInMemory } from "../../../src/files/byte-source.js";
import { openFile } from "../../../src/files/disk.js";
import type { ElementType, RowArray } from "../../../src/files/ndarray.js";
import { elementSize } from "../../../src/files/ndarray.js";
import { packingOf, unpacked } from "../../../src/files/netcdf-attributes.js";
import { openNpy, writeNpy } from "../../../src/files/npy.js";
import { openNpz, writeNpz } from "../../../src/files/npz.js";
import { plainRowsOf } from "../../../src/files/plain/plain-rows.js";
import { columnMajor, plainElements, rowMajor, stridedArray } from "../../../src/files/strided.js";
import { isPlainAsRead } from "./plain-as-read.js";

const folder = mkdtempSync(join(tmpdir(), "plain-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

const BYTES = Uint8Array.from({ length: 1 << 16 }, (_, i) => ((i + 1) * 2654435761) >>> 13);
const TYPES: readonly ElementType[] = [
  ...(["bool", "int8", "uint8", "int16", "uint16", "int32"] as const),
  ...(["uint32", "int64", "uint64", "float16", "float32", "float64"] as const),
];

/** A file of these bytes, as an array at some strides. */
async function onDisk<T>(
  bytes: Uint8Array,
  work: (file: Awaited<ReturnType<typeof openFile>>) => Promise<T>,
) {
  const path = join(folder, "any.bin");
  writeFileSync(path, bytes);
  const file = await openFile(path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

const shapes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });

describe("rows of arrays at strides", () => {
  it("are plain where each lies in one piece, of any type, byte order, place and distance", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TYPES),
        fc.boolean(),
        shapes,
        fc.nat({ max: 100 }),
        fc.nat({ max: 5 }),
        async (dtype, littleEndian, shape, offset, apart) => {
          const size = elementSize(dtype);
          const [first, ...rest] = rowMajor(shape, size);
          const strides = [first + apart * size, ...rest];
          const layout = { shape, strides, offset, elements: plainElements(dtype, littleEndian) };
          await onDisk(BYTES, async (file) => {
            expect(await isPlainAsRead(stridedArray(file, layout))).toBe(true);
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it("are not plain where their axes are in another order, or the bytes in memory", async () => {
    const elements = plainElements("float32");
    const turned = { shape: [4, 3, 2], strides: columnMajor([4, 3, 2], 4), offset: 0, elements };
    const straight = { ...turned, strides: rowMajor([4, 3, 2], 4) };
    await onDisk(BYTES, async (file) => {
      expect(await isPlainAsRead(stridedArray(file, turned))).toBe(false);
      expect(await isPlainAsRead(stridedArray(file, straight))).toBe(true);
    });
    expect(plainRowsOf(stridedArray(bytesInMemory(BYTES), straight))).toBeUndefined();
  });

  it("of NPY files and of stored members of NPZ files are plain", async () => {
    const values = Float32Array.from({ length: 24 }, (_, i) => i / 7);
    await onDisk(writeNpy(values, [4, 3, 2]), async (file) => {
      expect(await isPlainAsRead(await openNpy(file))).toBe(true);
    });
    for (const compress of [false, true])
      await onDisk(writeNpz({ u: { values, shape: [4, 6] } }, { compress }), async (file) => {
        expect(await isPlainAsRead(await (await openNpz(file)).array("u"))).toBe(!compress);
      });
  });

  it("are those of the array that reads them alone: one that changes what is read has none", async () => {
    await onDisk(BYTES, async (file) => {
      const layout = { shape: [4, 6], strides: [24, 4], offset: 0, elements: plainElements("float32") };
      const array = stridedArray(file, layout);
      const packing = packingOf("float32", { scale_factor: 2 });
      expect(plainRowsOf(unpacked(array, packing as never))).toBeUndefined();
      const half: RowArray = { ...array, read: (start, end) => array.read(start + 1, end + 1) };
      expect(plainRowsOf(half)).toBeUndefined();
      expect(plainRowsOf({ ...array, shape: [4, 3, 2] } as RowArray)).toBe(plainRowsOf(array));
    });
  });

  it("say in one line that a file became shorter", async () => {
    const path = join(folder, "shorter.bin");
    writeFileSync(path, BYTES);
    const file = await openFile(path);
    const layout = { shape: [4, 6], strides: [24, 4], offset: 60_000, elements: plainElements("float32") };
    const plain = plainRowsOf(stridedArray(file, layout))!;
    writeFileSync(path, BYTES.subarray(0, 60_010));
    expect(() => plain.fill(new Uint8Array(24), plain.at(0))).toThrow(
      /shorter.bin became shorter while it was read/,
    );
    expect(() => plain.fill(new Uint8Array(24), BYTES.length - 4)).toThrow(/is truncated/);
    await file.close();
  });
});
