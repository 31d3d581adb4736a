import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handedOver, longKMemory } from "../../../../../src/engine/cuda/kernels/gemm-long-k/memory.js";
import { sidesOf } from "../../../../../src/engine/cuda/kernels/gemm-long-k/sides.js";
import { longKTiling, warpsOf } from "../../../../../src/engine/cuda/kernels/gemm-long-k/tiling.js";
import { HOPPER } from "../../../../../src/engine/cuda/kernels/kernel-body.js";
import { TILE } from "../../../../../src/engine/cuda/kernels/tensor-cores.js";
import type { Product } from "../../../../../src/engine/cuda/plan/layout/products.js";

/** A^T B of matrices that lie one behind the other. */
function product(rows: number, columns: number, inner: number, batch: number): Product {
  const stored = (height: number, width: number, transposed: boolean) => ({
    buffer: 0,
    offset: 0,
    transposed,
    rowStride: width,
    batchStride: height * width,
  });
  const [a, b, c] = [stored(inner, rows, true), stored(inner, columns, false), stored(rows, columns, false)];
  return { rows, columns, inner, batch, a, b, c };
}

const tilingOf = (rows: number, columns: number, inner: number, batch: number) =>
  longKTiling(product(rows, columns, inner, batch), HOPPER)!;

describe("the tiling of a deep product", () => {
  it("has deep parts, unless they would take the room of blocks that are needed", () => {
    expect(tilingOf(32, 32, 4096, 640).depth).toBe(32);
    expect(tilingOf(100, 100, 5120, 500).depth).toBe(16);
    // One block on each multiprocessor is all there is.
    expect(tilingOf(100, 100, 5120, 132).depth).toBe(32);
  });

  it("has teams of warps where there are few tiles", () => {
    const teams = (rows: number, columns: number) => tilingOf(rows, columns, 1024, 640).teams;
    expect([teams(8, 8), teams(16, 48), teams(32, 32), teams(100, 100)]).toEqual([4, 2, 1, 1]);
    // Blocks of four warps would leave a multiprocessor with eight.
    expect(tilingOf(32, 128, 4096, 640)).toMatchObject({ depth: 32, teams: 2, resident: 2 });
  });

  it("has as many blocks of small tiles on a multiprocessor as shared memory and registers allow", () => {
    expect(tilingOf(8, 8, 4096, 2000).resident).toBe(8);
    expect(tilingOf(32, 32, 4096, 640).resident).toBe(7);
    expect(tilingOf(100, 100, 5120, 500).resident).toBe(2);
  });

  it("covers the result, divides all steps among its teams, and has room for what they hand over", () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 300 }),
      columns: fc.integer({ min: 1, max: 300 }),
      inner: fc.integer({ min: 100, max: 5000 }),
      batch: fc.integer({ min: 100, max: 2000 }),
    });
    let seen = 0;
    fc.assert(
      fc.property(sizes, ({ rows, columns, inner, batch }) => {
        const one = product(rows, columns, inner, batch);
        const tiling = longKTiling(one, HOPPER);
        if (!tiling) return;
        seen++;
        const { warpRows, warpColumns, high, wide, depth, teams } = tiling;
        const { left, right, size, stages } = sidesOf(one, tiling);
        expect([left.length, right.length]).toEqual([
          TILE.rows * warpRows * high,
          TILE.columns * warpColumns * wide,
        ]);
        expect((depth / TILE.inner) % teams).toBe(0);
        const { kept, tables, end } = longKMemory(one, tiling);
        expect(kept).toBeGreaterThanOrEqual(stages * size);
        expect(kept).toBeGreaterThanOrEqual(
          ((32 * warpsOf(tiling)) / teams) * (teams - 1) * handedOver(tiling),
        );
        expect(tables).toBeGreaterThanOrEqual(kept);
        expect(end).toBe(tables); // no patches
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(seen).toBeGreaterThan(50);
  });
});
