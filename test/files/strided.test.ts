import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { type ByteSource, bytesInMemory } from "../../src/files/byte-source.js";
import type { AxisRange } from "../../src/files/ndarray.js";
import { openNpy, writeNpy } from "../../src/files/npy.js";
import { columnMajor, plainElements, rowMajor, stridedArray } from "../../src/files/strided.js";

/** The elements of a box, one index at a time. */
function expected(values: ArrayLike<number>, first: number, strides: readonly number[], box: AxisRange[]) {
  let places = [first];
  box.forEach(({ start, length, step }, axis) => {
    places = places.flatMap((place) =>
      Array.from({ length }, (_, i) => place + (start + i * step) * strides[axis]),
    );
  });
  return places.map((place) => values[place]);
}

/** A source that counts what is read, in how many reads. */
function counted(source: ByteSource) {
  const count = { bytes: 0, reads: 0, largest: 0 };
  const read = (offset: number, length: number) => {
    count.bytes += length;
    count.reads++;
    count.largest = Math.max(count.largest, length);
    return source.read(offset, length);
  };
  return { count, source: { ...source, read } };
}

const axis = fc
  .record({ length: fc.integer({ min: 1, max: 6 }), stride: fc.integer({ min: 0, max: 40 }) })
  .chain(({ length, stride }) =>
    fc
      .record({ start: fc.nat(length - 1), step: fc.integer({ min: 1, max: 3 }) })
      .chain(({ start, step }) =>
        fc
          .nat(Math.floor((length - 1 - start) / step) + 1)
          .map((taken) => ({ length, stride, box: { start, length: taken, step } })),
      ),
  );

describe("an array with strides", () => {
  const types = [
    ["int8", Int8Array],
    ["uint16", Uint16Array],
    ["float32", Float32Array],
    ["float64", Float64Array],
  ] as const;

  it("gives every box and all rows as an index at a time does, in either byte order, at any offset", async () => {
    const arrays = fc.record({
      axes: fc.array(axis, { maxLength: 4 }),
      type: fc.constantFrom(...types),
      first: fc.nat(7),
      shift: fc.nat(3),
      littleEndian: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(arrays, async ({ axes, type: [dtype, Numbers], first, shift, littleEndian }) => {
        const values = new Numbers(Array.from({ length: 1000 }, (_, i) => (i * 37) % 101));
        const bytes = new Uint8Array(values.buffer).slice();
        if (!littleEndian)
          for (let at = 0; at < bytes.length; at += values.BYTES_PER_ELEMENT)
            bytes.subarray(at, at + values.BYTES_PER_ELEMENT).reverse();
        const file = new Uint8Array(shift + bytes.length);
        file.set(bytes, shift);
        const shape = axes.map(({ length }) => length);
        const strides = axes.map(({ stride }) => stride);
        const array = stridedArray(bytesInMemory(file), {
          shape,
          strides: strides.map((stride) => stride * values.BYTES_PER_ELEMENT),
          offset: shift + first * values.BYTES_PER_ELEMENT,
          elements: plainElements(dtype, littleEndian),
        });
        const box = axes.map((one) => one.box);
        const found = await array.readBox!(box);
        expect(found.constructor).toBe(Numbers);
        expect([...found]).toEqual(expected(values, first, strides, box));
        const all = shape.map((length) => ({ start: 0, length, step: 1 }));
        expect([...(await array.read(0, array.rows))]).toEqual(expected(values, first, strides, all));
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("spans windows: an array of many megabytes in Fortran order, by rows and by boxes", async () => {
    const shape = [700, 60, 50];
    const values = Float64Array.from({ length: 700 * 60 * 50 }, (_, i) => i);
    const strides = columnMajor(shape, 1);
    const { count, source } = counted(bytesInMemory(new Uint8Array(values.buffer)));
    const array = stridedArray(source, {
      shape,
      strides: strides.map((stride) => 8 * stride),
      offset: 0,
      elements: plainElements("float64"),
    });
    const rows = [
      { start: 13, length: 4, step: 1 },
      ...[60, 50].map((length) => ({ start: 0, length, step: 1 })),
    ];
    expect(Array.from(await array.read(13, 17), Number)).toEqual(expected(values, 0, strides, rows));
    expect(count.largest).toBeLessThanOrEqual(1 << 22);
    expect(count.reads).toBeLessThan(10);
    const box = [
      { start: 5, length: 300, step: 2 },
      { start: 59, length: 1, step: 1 },
      { start: 1, length: 7, step: 7 },
    ];
    expect(Array.from(await array.readBox!(box), Number)).toEqual(expected(values, 0, strides, box));
  });

  it("reads no more of a file in C order than the rows or the far runs that are asked for", async () => {
    const values = new Float32Array(40 * 20_000).map((_, i) => i);
    const { count, source } = counted(bytesInMemory(writeNpy(values, [40, 20_000])));
    const array = await openNpy(source);
    Object.assign(count, { bytes: 0, reads: 0 });
    expect(await array.read(3, 5)).toEqual(values.slice(60_000, 100_000));
    expect(count).toMatchObject({ bytes: 160_000, reads: 1 });
    Object.assign(count, { bytes: 0, reads: 0 });
    const column = [
      { start: 0, length: 40, step: 1 },
      { start: 7, length: 3, step: 1 },
    ];
    expect(Array.from(await array.readBox!(column), Number)).toEqual(
      expected(values, 0, [20_000, 1], column),
    );
    expect(count).toMatchObject({ bytes: 40 * 12, reads: 40 });
  });

  it("may repeat its elements by strides of 0, but not without bound", async () => {
    const source = bytesInMemory(new Uint8Array(Float32Array.of(1, 2, 3).buffer), "x.pt");
    const layout = { offset: 0, elements: plainElements("float32") };
    const twice = stridedArray(source, { ...layout, shape: [3, 2], strides: [4, 0] });
    expect(await twice.read(0, 3)).toEqual(Float32Array.of(1, 1, 2, 2, 3, 3));
    expect(() => stridedArray(source, { ...layout, shape: [3, 1e12], strides: [4, 0] })).toThrow(
      /x\.pt claims 12000000 MB in 1 kB: its strides \(4, 0\) repeat the same elements/,
    );
  });

  it("is refused where it leaves the file or has an impossible layout, and so are such boxes", async () => {
    const source = bytesInMemory(new Uint8Array(100), "x");
    const make = (shape: number[], strides: number[], offset = 0) =>
      stridedArray(source, { shape, strides, offset, elements: plainElements("float64") });
    expect(() => make([3, 4], [32, 8], 8)).toThrow("x is truncated: 3x4 float64 needs 104 bytes, it has 100");
    for (const [shape, strides] of [
      [[-1], [8]],
      [[2], [-8]],
      [[2], [6]],
      [[2, 2], [8]],
      [
        [1e10, 1e10],
        [0, 0],
      ],
      [[NaN], [8]],
    ])
      expect(() => make(shape, strides)).toThrow(FormatError);
    const array = make([3, 4], rowMajor([3, 4], 8));
    for (const box of [
      [{ start: 0, length: 3, step: 1 }],
      [
        { start: 0, length: 2, step: 3 },
        { start: 0, length: 4, step: 1 },
      ],
      [
        { start: 0, length: 3, step: 1 },
        { start: 1, length: 4, step: 1 },
      ],
    ])
      await expect(array.readBox!(box)).rejects.toThrow(RangeError);
    await expect(array.read(0, 4)).rejects.toThrow(RangeError);
  });
});
