import { describe, expect, it } from "vitest";
import { alikeProducts, type ProductStep } from "../../../src/engine/cuda/alike-products.js";
import { matrixAddresses } from "../../../src/engine/cuda/device/gemm.js";

const step = (buffer: number, changes: Partial<ProductStep> = {}): ProductStep => ({
  kind: "product",
  stage: 3,
  rows: 8,
  columns: 6,
  inner: 4,
  batch: 2,
  a: { buffer, offset: buffer, transposed: false, rowStride: 4, batchStride: 32 },
  b: { buffer, offset: 0, transposed: true, rowStride: 4, batchStride: 0 },
  c: { buffer: buffer + 1, offset: 0, rowStride: 6, batchStride: 48 },
  ...changes,
});

describe("products that are alike", () => {
  it("are grouped whatever their buffers, offsets, batches and strides between matrices", () => {
    const alike = [0, 1, 2, 3, 4, 5].map((i) => step(10 * i, { batch: 1 + i }));
    const other = { ...alike[0].a, transposed: true, rowStride: 8 };
    const different = [step(70, { inner: 5 }), step(80, { a: other })];
    const groups = alikeProducts([...alike.slice(0, 3), ...different, ...alike.slice(3)]);
    expect(groups).toEqual([alike, [different[0]], [different[1]]]);
  });

  it("stay alone if they are few or keep a GPU busy", () => {
    const few = [0, 1, 2, 3].map((i) => step(10 * i));
    expect(alikeProducts(few)).toEqual(few.map((one) => [one]));
    const large = [0, 1, 2, 3, 4, 5].map((i) => step(10 * i, { rows: 64 * 512 }));
    expect(alikeProducts(large)).toEqual(large.map((one) => [one]));
  });

  it("are as many calls as their matrices need", () => {
    const many = Array.from({ length: 300 }, (_, i) => step(10 * i, { batch: 288 }));
    const groups = alikeProducts(many);
    expect(groups.flat()).toEqual(many);
    expect(groups.map((group) => group.length)).toEqual([113, 113, 74]);
  });

  it("are told by the addresses of all matrices: right factors, left factors, results", () => {
    const product = (at: bigint, batch: number) => ({
      rows: 8,
      columns: 6,
      inner: 4,
      batch,
      a: { pointer: at, transposed: false, rowStride: 4, batchStride: 32 },
      b: { pointer: at + 1000n, transposed: true, rowStride: 4, batchStride: 0 },
      c: { pointer: at + 2000n, rowStride: 6, batchStride: 48 },
      beta: 0 as const,
    });
    expect([...matrixAddresses([product(40000n, 2), product(80000n, 1)])]).toEqual([
      ...[41000n, 41000n, 81000n],
      ...[40000n, 40128n, 80000n],
      ...[42000n, 42192n, 82000n],
    ]);
  });
});
