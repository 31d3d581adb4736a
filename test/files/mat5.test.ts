import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { zlibSync } from "fflate";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { isMat5, openMat5 } from "../../src/files/mat5.js";
import { expectAsRead, fileIn, filesOf, GOLDEN } from "./foreign-arrays.js";

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(GOLDEN, name)));
const header = bytesOf("v5-little-endian.mat").slice(0, 128);
const u32 = (...words: number[]) => new Uint8Array(Uint32Array.from(words).buffer);
const file = (...parts: Uint8Array[]) => bytesInMemory(Buffer.concat([header, ...parts]), "x.mat");
/** A matrix of doubles called "u", whose shape and bytes may lie. */
const matrix = (shape: readonly number[], bytes: number, data = new Uint8Array(bytes)) => {
  const lengths = u32(5, 4 * shape.length, ...shape, ...(shape.length % 2 ? [0] : []));
  const inner = [u32(6, 8, 6, 0), lengths, u32(0x00010001, 0x75), u32(9, bytes), data];
  return Buffer.concat([u32(14, Buffer.concat(inner).length), ...inner]);
};
const compressed = (content: Uint8Array) => {
  const packed = zlibSync(content);
  return Buffer.concat([u32(15, packed.length), packed]);
};

describe("MATLAB files of version 5", () => {
  const files = filesOf(GOLDEN, /^v5.*\.mat$/);

  it("have golden files: plain, compressed, and of both byte orders", () => {
    expect(files).toEqual(["v5-big-endian.mat", "v5-compressed.mat", "v5-little-endian.mat", "v5-plain.mat"]);
  });

  it.each(files)("%s is read as SciPy reads it", async (name) => {
    await expectAsRead(GOLDEN, name, openMat5);
    const inflate = (bytes: Uint8Array, size: number) => inflateRawSync(bytes, { maxOutputLength: size });
    await expectAsRead(GOLDEN, name, (source) => openMat5(source, { inflate }));
  });

  it("are told from others by their header", () => {
    for (const name of files) expect(isMat5(bytesOf(name).subarray(0, 128))).toBe(true);
    expect(isMat5(bytesOf("v4.mat").subarray(0, 128))).toBe(false);
    expect(isMat5(new Uint8Array(0))).toBe(false);
  });

  it("are read by ranges where they are not compressed", async () => {
    const big = matrix([1000, 500], 4_000_000);
    let bytes = 0;
    const source = file(big);
    const counted = {
      ...source,
      read: (at: number, length: number) => {
        bytes += length;
        return source.read(at, length);
      },
    };
    const array = await (await openMat5(counted)).array("u");
    expect(bytes).toBeLessThan(10_000);
    const column = [
      { start: 0, length: 1000, step: 1 },
      { start: 499, length: 1, step: 1 },
    ];
    expect(await array.readBox!(column)).toHaveLength(1000);
    expect(bytes).toBeLessThan(20_000);
  });

  it("keep what can be read beside what cannot, and say why", async () => {
    const { list, array } = await openMat5(fileIn(GOLDEN, "v5-plain.mat"));
    const problems = Object.fromEntries(
      list().flatMap(({ name, problem }) => (problem ? [[name, problem]] : [])),
    );
    expect(problems).toEqual({
      z: "holds complex numbers: save real(...) and imag(...) as arrays of their own",
      text: "is text",
      cells: "is a cell array: save what it holds as arrays of their own",
      record: "is a struct: save what it holds as arrays of their own, or with save(..., '-struct', ...)",
      sparse: "is a sparse matrix: save it with full(...)",
    });
    await expect(array("nothing")).rejects.toThrow(/v5-plain\.mat has no array "nothing"; it has z, text, /);
  });

  it.each([
    [
      "an element that ends behind the file",
      file(matrix([2, 2], 32).subarray(0, 60)),
      /is truncated: an element at byte 128/,
    ],
    ["a tag that is cut off", file(u32(14)), /x\.mat is damaged: an element's header is cut off/],
    [
      "a shape that needs more than there is",
      file(matrix([2, 3], 32)),
      /x\.mat:u is damaged: 2x3 float64 needs 48 bytes, it has 32/,
    ],
    ["a shape beyond all memory", file(matrix([2 ** 30, 2 ** 30], 32)), /x\.mat:u has an impossible shape/],
    [
      "a length that lies",
      file(matrix([2, 2 ** 24], 2 ** 28, new Uint8Array(8))),
      /x\.mat:u is damaged: .* needs 268435456 bytes, it has 8/,
    ],
    ["an element of another type", file(u32(9, 8, 0, 0)), /an element of type 9 where a variable should be/],
    [
      "compressed data that are none",
      file(u32(15, 8, 1, 2)),
      /x\.mat: damaged compressed data \(no zlib header\)/,
    ],
    [
      "another format",
      bytesInMemory(new Uint8Array(200), "x.mat"),
      /x\.mat is not a MATLAB file of version 5/,
    ],
    ["a header that is cut off", bytesInMemory(header.subarray(0, 100), "x.mat"), /x\.mat is truncated/],
  ])("are refused with one line: %s", async (_, source, message) => {
    await expect(openMat5(source)).rejects.toThrow(message);
    await expect(openMat5(source)).rejects.toThrow(FormatError);
  });

  it("are refused where a compressed element is cut, damaged or a bomb", async () => {
    const numbers = new Uint8Array(Float64Array.from({ length: 4000 }, (_, i) => Math.sin(i)).buffer);
    const whole = compressed(matrix([40, 100], 32_000, numbers));
    const openU = async (bytes: Uint8Array) => {
      const array = await (await openMat5(file(bytes))).array("u");
      return array.read(0, array.rows);
    };
    expect((await openU(whole)).length).toBe(4000);
    const cut = Buffer.from(whole.subarray(0, whole.length - 4000));
    cut.writeUInt32LE(cut.length - 8, 4);
    await expect(openU(cut)).rejects.toThrow(/x\.mat:u: damaged compressed data \(unexpected EOF\)/);
    const checksum = Buffer.from(whole);
    checksum[checksum.length - 1] ^= 1;
    await expect(openU(checksum)).rejects.toThrow(
      /x\.mat:u: damaged compressed data \(wrong size or checksum\)/,
    );
    const long = compressed(Buffer.concat([matrix([40, 100], 32_000, numbers), new Uint8Array(1000)]));
    await expect(openU(long)).rejects.toThrow(/damaged compressed data \(wrong size or checksum\)/);
    const claim = matrix([2 ** 14, 2 ** 14], 2 ** 31, new Uint8Array(100));
    claim.writeUInt32LE(2 ** 31 + 1000, 4);
    await expect(openU(compressed(claim))).rejects.toThrow(
      /expands from \d+ to 2147484656 bytes, as a zip bomb/,
    );
  });

  it("have compressed arrays inflated at the first read, not before", async () => {
    let inflated = 0;
    const inflate = (deflated: Uint8Array) => {
      inflated++;
      return inflateRawSync(deflated);
    };
    const numbers = new Uint8Array(Float64Array.from({ length: 4000 }, (_, i) => Math.sin(i)).buffer);
    const { list, array } = await openMat5(file(compressed(matrix([40, 100], 32_000, numbers))), { inflate });
    const u = await array("u");
    expect([list(), u.shape, inflated]).toEqual([
      [{ name: "u", shape: [40, 100], dtype: "float64" }],
      [40, 100],
      0,
    ]);
    expect((await u.read(1, 2))[0]).toBe(Math.sin(1)); // the first axis runs fastest
    await u.read(0, 40);
    expect(inflated).toBe(1);
  });

  it("list a damaged array with its problem beside those that can be read", async () => {
    const good = matrix([2, 3], 48);
    const named = (bytes: Buffer, letter: string) => {
      bytes[bytes.indexOf(u32(0x00010001, 0x75)) + 4] = letter.charCodeAt(0);
      return bytes;
    };
    const listed = async (...parts: Uint8Array[]) => (await openMat5(file(...parts))).list();
    const read = { name: "u", shape: [2, 3], dtype: "float64" };
    expect(await listed(good, named(matrix([2, 4], 48), "v"))).toEqual([
      read,
      { name: "v", problem: "is damaged: 2x4 float64 needs 64 bytes, it has 48" },
    ]);
    expect(await listed(good, u32(15, 8, 1, 2), named(matrix([2, 3], 48), "w"))).toEqual([
      read,
      { name: "(variable 2)", problem: "has damaged compressed data (no zlib header)" },
      { ...read, name: "w" },
    ]);
    const noise = new Uint8Array(Float64Array.from({ length: 4000 }, (_, i) => Math.sin(i)).buffer);
    const large = compressed(named(matrix([40, 100], 32_000, noise), "v"));
    const [, cut] = await listed(good, large.subarray(0, 20_000));
    expect(cut).toEqual({
      name: "v",
      problem: expect.stringMatching(/^is truncated: an element at byte \d+ has/),
    });
    const { array } = await openMat5(file(good, large.subarray(0, 20_000)));
    await expect(array("v")).rejects.toThrow(/^x\.mat:v is truncated/);
    const [, lost] = await listed(good, u32(99, 16, 0, 0, 0, 0), named(matrix([2, 3], 48), "w"));
    expect(lost.problem).toBe("is damaged: an element of type 99 where a variable should be");
  });
});
