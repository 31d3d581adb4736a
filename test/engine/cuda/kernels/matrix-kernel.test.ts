import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadText, ResultText } from "../../../../src/engine/cuda/kernels/element-text.js";
import { HOPPER } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import {
  canReduceLines,
  hasKernel,
  matrixKernel,
} from "../../../../src/engine/cuda/kernels/matrix-kernel.js";
import { leaving } from "../../../../src/engine/cuda/kernels/tensor-cores.js";
import { vectorLength } from "../../../../src/engine/cuda/plan/expressions/vector-length.js";
import type { Product } from "../../../../src/engine/cuda/plan/layout/products.js";

const PLAIN: ResultText = {
  elements: {
    declare: () => "",
    compute: "",
    store: "store(n, row, column, value);\n",
    reads: [],
    computeFetched: () => "",
  },
  sums: [undefined, undefined],
  lines: [],
};

const READ: ReadText = { from: "&q0[row]", together: 4 };

/** A product of matrices that lie one behind the other. */
function product(
  rows: number,
  columns: number,
  inner: number,
  batch: number,
  how: Partial<Product> = {},
): Product {
  const stored = (height: number, width: number) => ({
    buffer: 0,
    offset: 0,
    transposed: false,
    rowStride: width,
    batchStride: height * width,
  });
  return {
    rows,
    columns,
    inner,
    batch,
    a: stored(rows, inner),
    b: stored(inner, columns),
    c: stored(rows, columns),
    ...how,
  };
}

/** An L4 or a GeForce RTX: less shared memory, fewer multiprocessors. */
const SMALL = { processors: 58, shared: 100 * 1024, blockShared: 99 * 1024 };

describe("kernels of ours", () => {
  it("adds up columns where each multiprocessor has a block with all rows of some", () => {
    const along = { along: "column", length: 10240 } as const;
    expect(canReduceLines(product(10240, 64, 64, 250), along)).toBe(true);
    expect(canReduceLines(product(10240, 64, 64, 10), along)).toBe(false);
    expect(canReduceLines(product(262144, 64, 64, 10), { ...along, length: 2048 })).toBe(true);
    expect(canReduceLines(product(10240, 64, 64, 10), { along: "row", length: 64 })).toBe(true);
  });

  it("computes more matrices than the other axes of a launch have room for", () => {
    const many = product(3, 4, 5, 100_000);
    expect(hasKernel(many)).toBe(false);
    const { blocks, text } = matrixKernel(many, PLAIN);
    expect(blocks).toEqual([100_000, 1, 1]);
    expect(text).toContain("n = blockIdx.x / 1u");
  });

  it("are for products with many rows or columns, a long inner axis or many matrices, and enough for a GPU", () => {
    expect(hasKernel(product(10240, 100, 100, 10))).toBe(true);
    expect(hasKernel(product(64, 10240, 100, 10))).toBe(true);
    expect(hasKernel(product(100, 100, 320, 320))).toBe(true);
    expect(hasKernel(product(32, 32, 32, 2880))).toBe(true);
    expect(hasKernel(product(32, 32, 32, 288))).toBe(false);
    expect(hasKernel(product(32, 30, 32, 2880))).toBe(false);
    expect(hasKernel(product(64, 100, 100, 10))).toBe(false);
    expect(hasKernel(product(4096, 4096, 4096, 1))).toBe(false);
    expect(hasKernel(product(2048, 100, 100, 2 ** 17))).toBe(false);
  });

  it("stay within what a GPU has, and have a thread for every element", () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 20000 }),
      columns: fc.integer({ min: 1, max: 400 }),
      inner: fc.integer({ min: 1, max: 3000 }),
      batch: fc.integer({ min: 1, max: 600 }),
      turned: fc.boolean(),
      reads: fc.integer({ min: 0, max: 5 }),
      gpu: fc.constantFrom(HOPPER, SMALL),
    });
    let seen = 0;
    fc.assert(
      fc.property(sizes, ({ rows, columns, inner, batch, turned, reads, gpu }) => {
        const one = turned ? product(columns, rows, inner, batch) : product(rows, columns, inner, batch);
        if (!hasKernel(one, gpu)) return;
        seen++;
        const { blocks, threads, sharedBytes, resident } = matrixKernel(
          one,
          { ...PLAIN, elements: { ...PLAIN.elements, reads: Array(reads).fill(READ) } },
          { multiprocessors: gpu },
        );
        expect(sharedBytes).toBeLessThanOrEqual(gpu.blockShared);
        expect(resident * sharedBytes).toBeLessThanOrEqual(gpu.shared);
        expect(threads % 32).toBe(0);
        expect(threads * resident).toBeLessThanOrEqual(2048);
        expect(threads).toBeLessThanOrEqual(1024);
        expect(Math.max(blocks[1], blocks[2])).toBeLessThan(2 ** 16);
        expect(blocks.every((count) => Number.isInteger(count) && count > 0)).toBe(true);
      }),
      { numRuns: 400 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it("read neighbours together only where all addresses allow it", () => {
    const text = (offset: number) => {
      const tall = product(10240, 100, 100, 10);
      return matrixKernel({ ...tall, a: { ...tall.a, offset } }, PLAIN).text;
    };
    expect(text(0)).toContain("float2*)&own");
    expect(text(2)).toContain("float2*)&own");
    expect(text(1)).not.toContain("float2*)&own");
    expect([vectorLength(8, 12), vectorLength(8, 6), vectorLength(8, 3)]).toEqual([4, 2, 1]);
  });

  it("read nothing beyond the inner axis where its steps are more than it has numbers", () => {
    for (let inner = 1; inner <= 264; inner++) {
      const { text } = matrixKernel(product(20480, 24, inner, 10), PLAIN);
      const segment = Number(/float x\[(\d+)\]\[\d\]\[4\]/.exec(text)![1]);
      const steps = Number(/from < (\d+)u; from \+=/.exec(text)?.[1] ?? segment);
      expect(steps % segment).toBe(0);
      expect(8 * steps).toBeGreaterThanOrEqual(inner);
      expect(text.includes(`k < ${inner}u`)).toBe(8 * steps > inner);
      expect(text.includes(`2u * pair + 1u < ${inner}u`)).toBe(8 * steps > inner);
    }
  });

  it("multiply once with TF32, three times for float32", () => {
    const calls = (passes: 1 | 3) =>
      matrixKernel(product(10240, 64, 64, 10), PLAIN, { passes }).text.match(/multiply_add\(/g)?.length;
    expect(calls(3)).toBe(3 * calls(1)!);
  });

  it("have rows in shared memory that no two threads read from the same bank", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 15 }), (least, rest) => {
        const found = leaving(rest, 16, least);
        expect(found % 16).toBe(rest);
        expect(found - least).toBeLessThan(16);
        expect(found).toBeGreaterThanOrEqual(least);
      }),
    );
    // A warp reads pairs of rows 2 t and columns g, four numbers each: eight threads at a time, 128 bytes.
    for (const columns of [8, 24, 64, 100, 104, 128]) {
      const width = leaving(2, 8, 8 * Math.ceil(columns / 8));
      for (let first = 0; first < 32; first += 8) {
        const banks = Array.from(
          { length: 8 },
          (_, i) => (((first + i) % 4) * width + Math.floor((first + i) / 4)) % 8,
        );
        expect(new Set(banks).size).toBe(8);
      }
    }
  });
});
