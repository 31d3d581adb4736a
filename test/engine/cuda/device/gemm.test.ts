import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GemmArguments, gemmArguments } from "../../../../src/engine/cuda/device/gemm.js";
import { multiplied, type ProductShape, plainProduct } from "../../../cuda/plain-product.js";

/** `cublasGemmStridedBatchedEx` as its documentation defines it: columns one after another, alpha 1. */
function columnMajorGemm(
  { transa, transb, m, n, k, lda, strideA, ldb, strideB, ldc, strideC, batchCount }: GemmArguments,
  A: Float32Array,
  B: Float32Array,
  C: Float32Array,
  beta: number,
): Float64Array {
  expect(lda).toBeGreaterThanOrEqual(Math.max(1, transa ? k : m));
  expect(ldb).toBeGreaterThanOrEqual(Math.max(1, transb ? n : k));
  expect(ldc).toBeGreaterThanOrEqual(Math.max(1, m));
  const result = Float64Array.from(C);
  for (let batch = 0; batch < batchCount; batch++) {
    for (let column = 0; column < n; column++) {
      for (let row = 0; row < m; row++) {
        let sum = 0;
        for (let i = 0; i < k; i++) {
          const a = A[batch * strideA + (transa ? i + row * lda : row + i * lda)];
          const b = B[batch * strideB + (transb ? column + i * ldb : i + column * ldb)];
          sum += a * b;
        }
        const place = batch * strideC + row + column * ldc;
        result[place] = sum + beta * C[place];
      }
    }
  }
  return result;
}

const shapes: fc.Arbitrary<ProductShape> = fc.record({
  rows: fc.integer({ min: 1, max: 6 }),
  columns: fc.integer({ min: 1, max: 6 }),
  inner: fc.integer({ min: 1, max: 6 }),
  batch: fc.integer({ min: 1, max: 3 }),
  transposedA: fc.boolean(),
  transposedB: fc.boolean(),
  beta: fc.constantFrom(0, 1),
  gap: fc.integer({ min: 0, max: 3 }),
  sharedB: fc.boolean(),
});

describe("a product of row-major matrices", () => {
  it("is what cuBLAS makes of its arguments", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const plain = plainProduct(shape);
        const { product, a, b, c } = plain;
        // cuBLAS's A is our B, and the other way round.
        const result = columnMajorGemm(gemmArguments(product), b, a, c, product.beta);
        result.forEach((value, i) => {
          expect(value).toBeCloseTo(multiplied(plain)[i], 12);
        });
      }),
    );
  });

  it("hands the addresses over with the operands", () => {
    const { product } = plainProduct({ ...ONE, rows: 2, columns: 3, inner: 4 });
    const { A, B, C } = gemmArguments({
      ...product,
      a: { ...product.a, pointer: 1n },
      b: { ...product.b, pointer: 2n },
      c: { ...product.c, pointer: 3n },
    });
    expect([A, B, C]).toEqual([2n, 1n, 3n]);
  });

  it("takes any stride of a matrix with one row", () => {
    const { product } = plainProduct({ ...ONE, rows: 1, columns: 5, inner: 7 });
    const { ldb, ldc } = gemmArguments({
      ...product,
      a: { ...product.a, rowStride: 0 },
      c: { ...product.c, rowStride: 1 },
    });
    expect([ldb, ldc]).toEqual([7, 5]);
  });

  it("takes a column out of a wider matrix", () => {
    const { product } = plainProduct({ ...ONE, rows: 4, columns: 1, inner: 3 });
    const { lda } = gemmArguments({ ...product, b: { ...product.b, rowStride: 9 } });
    expect(lda).toBe(9);
  });

  it("allows an empty sum", () => {
    const { product } = plainProduct({ ...ONE, rows: 4, columns: 2, inner: 0 });
    const { k, lda, ldb } = gemmArguments(product);
    expect(k).toBe(0);
    expect(lda).toBeGreaterThanOrEqual(2);
    expect(ldb).toBeGreaterThanOrEqual(1);
  });

  it("refuses rows that overlap", () => {
    const { product } = plainProduct({ ...ONE, rows: 4, columns: 2, inner: 3 });
    expect(() => gemmArguments({ ...product, a: { ...product.a, rowStride: 0 } })).toThrow(
      /rows of A \[4, 3\] overlap/,
    );
  });
});

const ONE = { batch: 1, transposedA: false, transposedB: false, beta: 0, gap: 0, sharedB: false } as const;
