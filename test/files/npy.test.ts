import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { toNumbers, type Values } from "../../src/files/ndarray.js";
import { openNpy, readNpy, writeNpy } from "../../src/files/npy.js";

/** Files that NumPy wrote: scripts/golden/files.py. */
const GOLDEN = new URL("../golden/files/", import.meta.url);
const golden = (name: string) => bytesInMemory(readFileSync(new URL(name, GOLDEN)), name);
const cube = Array.from({ length: 24 }, (_, i) => i);

describe("NPY", () => {
  const types = readdirSync(GOLDEN).filter((name) => /-(le|be)\.npy$/.test(name));

  it.each(types)("%s is read as NumPy wrote it, whole and by rows", async (name) => {
    const array = await openNpy(golden(name));
    const expected = name.startsWith("bool") ? cube.map((i) => i % 2) : cube;
    expect(array.shape).toEqual([4, 3, 2]);
    expect(array.dtype).toBe(name.replace(/-.*/, ""));
    expect([...toNumbers(await array.read(0, 4))]).toEqual(expected);
    expect([...toNumbers(await array.read(1, 3))]).toEqual(expected.slice(6, 18));
    expect(await array.read(2, 2)).toHaveLength(0);
  });

  it("covers every element type in its golden files", () => {
    expect(types).toHaveLength(17);
  });

  it("is read in Fortran order, by rows", async () => {
    const array = await openNpy(golden("fortran.npy"));
    expect([...toNumbers(await array.read(0, 4))]).toEqual(cube);
    expect([...toNumbers(await array.read(3, 4))]).toEqual(cube.slice(18));
  });

  it("is read in versions 2 and 3", async () => {
    for (const name of ["version-2.npy", "version-3.npy"]) {
      expect([...toNumbers((await readNpy(golden(name))).values)]).toEqual(cube);
    }
  });

  it("may be a scalar or have no rows", async () => {
    const scalar = await openNpy(golden("scalar.npy"));
    expect([scalar.shape, scalar.rows, await scalar.read(0, 1)]).toEqual([[], 1, Float64Array.of(2.5)]);
    expect((await readNpy(golden("empty.npy"))).shape).toEqual([0, 3]);
  });

  it("keeps the special values of float16", async () => {
    const { values } = await readNpy(golden("special.npy"));
    expect([...toNumbers(values)]).toEqual([0, -0, Infinity, -Infinity, NaN, 2 ** -24, 65504]);
  });

  it.each([
    ["objects.npy", /Python objects/],
    ["structured.npy", /compounds of \[\('a'/],
    ["complex.npy", /complex.npy holds complex numbers: only booleans, integers and floats/],
    ["stored.npz", /not an NPY file/],
  ])("%s is refused by what it holds", async (name, message) => {
    await expect(openNpy(golden(name))).rejects.toThrow(message);
    await expect(openNpy(golden(name))).rejects.toThrow(FormatError);
  });

  it("is refused when truncated, wherever the cut falls", async () => {
    const bytes = readFileSync(new URL("float32-le.npy", GOLDEN));
    for (let length = 0; length < bytes.length; length++) {
      await expect(openNpy(bytesInMemory(bytes.subarray(0, length), "cut.npy"))).rejects.toThrow(FormatError);
    }
  });

  it("is read back as it was written", async () => {
    const arrays = fc.oneof(
      fc.float32Array(),
      fc.float64Array(),
      fc.int8Array(),
      fc.uint8Array(),
      fc.int32Array(),
      fc.uint16Array(),
      fc.bigInt64Array(),
    ) as fc.Arbitrary<Values>;
    await fc.assert(
      fc.asyncProperty(arrays, async (values) => {
        const back = await readNpy(bytesInMemory(writeNpy(values, [1, values.length])));
        expect(back.shape).toEqual([1, values.length]);
        expect(back.values).toEqual(values);
      }),
    );
  });

  it("is written byte for byte as NumPy writes it", () => {
    const values = Float32Array.from(cube);
    expect(
      Buffer.from(writeNpy(values, [4, 3, 2])).equals(readFileSync(new URL("float32-le.npy", GOLDEN))),
    ).toBe(true);
    expect(() => writeNpy(values, [5, 5])).toThrow(RangeError);
  });

  it("are refused where they end within the length of a header", async () => {
    const bytes = Uint8Array.of(0x93, ...new TextEncoder().encode("NUMPY"), 2, 0, 0, 0);
    await expect(readNpy(bytesInMemory(bytes, "x.npy"))).rejects.toThrow("x.npy is truncated");
    await expect(readNpy(bytesInMemory(bytes, "x.npy"))).rejects.toThrow(FormatError);
  });

  it.each(["(99999999999999999999,)", "(4294967296, 4294967296)", `(${"1,".repeat(65)})`])(
    "are refused where their shape is impossible: %s",
    async (shape) => {
      const text = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
      const start = [0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0];
      const bytes = Uint8Array.of(...start, ...new TextEncoder().encode(text));
      await expect(readNpy(bytesInMemory(bytes, "x.npy"))).rejects.toThrow(/impossible shape/);
    },
  );
});
