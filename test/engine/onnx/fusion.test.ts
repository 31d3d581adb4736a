import { expect, it } from "vitest";
import * as ops from "../../../src/engine/operations.js";
import type { Tensor } from "../../../src/engine/program.js";
import { expectRight, types, written } from "./fused-programs.js";

it("sums of products over the last axes become products of vectors", async () => {
  const program = written((x, scale) =>
    ops.multiply(ops.sum(ops.multiply(x, ops.exp(x)), [2, 3], { keep: true }), scale),
  );
  expect(types(program)).toContain("FusedMatMul");
  expect(types(program)).not.toContain("ReduceSum");
  await expectRight(program);
});

it("sums over other axes, or of few products, stay sums", async () => {
  for (const axes of [[1], [0, 1], [3], [1, 2]]) {
    const program = written((x) => ops.sum(ops.multiply(x, x), axes));
    expect(types(program)).toContain("ReduceSum");
    await expectRight(program);
  }
});

it("two-dimensional products that are added to or taken from something are one node, in float64 too", async () => {
  const square = (x: Tensor) => ops.reshape(ops.slice(ops.slice(x, 2, 0, 3), 3, 0, 2), [6, 6]);
  for (const combine of [
    (product: Tensor, other: Tensor) => ops.add(product, other),
    (product: Tensor, other: Tensor) => ops.subtract(product, other),
    (product: Tensor, other: Tensor) => ops.subtract(other, product),
  ]) {
    const program = written((x) => combine(ops.matmul(square(x), ops.exp(square(x))), square(x)));
    expect(types(program)).toContain("Gemm");
    expect(types(program)).not.toMatch(/Add|Sub/);
    await expectRight(program);
  }
});
