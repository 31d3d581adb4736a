import { describe, expect, it } from "vitest";
import { GraphWriter } from "../../../../src/engine/cuda/plan/graph/graph.js";
import { reductionLayout } from "../../../../src/engine/cuda/plan/layout/reductions.js";
import type { Shape } from "../../../../src/engine/shape.js";

/** The layout of sums over some axes of a tensor. */
const layoutOf = (shape: Shape, axes: readonly number[]) =>
  reductionLayout(new GraphWriter().input("x", shape, "float"), axes);

describe("the threads of a sum", () => {
  it("are several for a short sum where there are too few sums for a GPU", () => {
    expect(layoutOf([10, 16, 64], [1])).toMatchObject({ outputs: 640, length: 16, threads: 8, chunks: 1 });
    expect(layoutOf([10, 16, 4096], [1])).toMatchObject({ outputs: 40960, length: 16, threads: 1 });
    expect(layoutOf([10, 4, 64], [1])).toMatchObject({ threads: 1 });
  });

  it("are a warp or a block for numbers that are neighbours in memory", () => {
    expect(layoutOf([640, 16], [1])).toMatchObject({ along: true, threads: 1 });
    expect(layoutOf([640, 72], [1])).toMatchObject({ along: true, threads: 32 });
    expect(layoutOf([640, 4096], [1])).toMatchObject({ along: true, threads: 256 });
  });

  it("are few for many short sums of neighbours, so that each reads several numbers at once", () => {
    expect(layoutOf([2 ** 16, 128], [1])).toMatchObject({ along: true, threads: 8, chunks: 1 });
    expect(layoutOf([2 ** 16, 512], [1])).toMatchObject({ along: true, threads: 32, chunks: 1 });
  });

  it("are more than a GPU has at a time where many sums are long", () => {
    expect(layoutOf([250, 10240, 100], [1])).toMatchObject({ outputs: 25000, threads: 8, chunks: 3 });
    expect(layoutOf([250, 64, 100], [1])).toMatchObject({ outputs: 25000, threads: 8, chunks: 1 });
  });

  it("are those of many blocks for few long sums, which add up all numbers in parts", () => {
    const { chunks, part, length } = layoutOf([3, 78401], [1]);
    expect(chunks).toBeGreaterThan(8);
    expect((chunks - 1) * part).toBeLessThan(length);
    expect(chunks * part).toBeGreaterThanOrEqual(length);
  });
});
