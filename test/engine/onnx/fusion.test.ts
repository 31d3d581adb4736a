import { expect, it } from "vitest";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import { onnxBackend, onnxDoubleBackend } from "../../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../../src/engine/operations.js";
import { Program, type Tensor } from "../../../src/engine/program.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { draw, error } from "../evaluation.js";

const FIELDS = [2, 3, 6, 7];
const NUMBERS = [2, 3, 1, 1];

function written(build: (x: Tensor, scale: Tensor, shift: Tensor) => Tensor): Program {
  const program = new Program();
  const [scale, shift] = ["scale", "shift"].map((name) => program.input(name, NUMBERS));
  program.output("y", build(program.input("x", FIELDS), scale, shift));
  return program;
}

async function expectRight(program: Program): Promise<void> {
  const values = { x: draw(FIELDS, "x"), scale: draw(NUMBERS, "scale"), shift: draw(NUMBERS, "shift") };
  const [ours, inDouble, right] = await Promise.all(
    [onnxBackend, onnxDoubleBackend, referenceBackend].map(async (backend) =>
      (await backend.compile(program)).run(values),
    ),
  );
  expect(error(ours.y, right.y)).toBeLessThan(1e-6);
  expect(error(inDouble.y, right.y)).toBeLessThan(1e-14);
}

const types = (program: Program): string =>
  Buffer.from(encodeOnnx(program, { extensions: true })).toString("latin1");

it("fields that are scaled and shifted, each by its own numbers, are passed over once", async () => {
  for (const program of [
    written((x, scale, shift) => ops.add(ops.multiply(x, scale), shift)),
    written((x, scale, shift) => ops.add(ops.multiply(scale, x), shift)),
  ]) {
    expect(types(program)).toContain("BatchNormalization");
    expect(types(program)).not.toContain("Mul");
    await expectRight(program);
  }
});

it("fields that are scaled, shifted and added to others, as a normalisation's gradient is, take two passes", async () => {
  for (const program of [
    written((x, scale, shift) =>
      ops.add(ops.add(ops.multiply(ops.exp(x), scale), ops.multiply(scale, x)), shift),
    ),
    written((x, scale, shift) => ops.add(ops.add(ops.exp(x), ops.multiply(x, scale)), shift)),
  ]) {
    expect(types(program).split("\x22\x12BatchNormalization").length - 1).toBe(1);
    expect(types(program).split("\x22\x03Add").length - 1).toBe(1);
    await expectRight(program);
  }
});

it("a sum that is used elsewhere is computed", async () => {
  const program = written((x, scale, shift) => {
    const sum = ops.add(ops.exp(x), ops.multiply(x, scale));
    return ops.multiply(ops.add(sum, shift), sum);
  });
  expect(types(program)).not.toContain("BatchNormalization");
  await expectRight(program);
});

it("fields that are scaled by one number a channel, or by fields, stay as they are written", async () => {
  for (const program of [
    written((x, scale, shift) => ops.add(ops.multiply(x, ops.slice(scale, 0, 0, 1)), shift)),
    written((x, scale, shift) => ops.add(ops.multiply(x, x), ops.multiply(scale, shift))),
    written((x, scale, shift) => ops.subtract(ops.multiply(x, scale), shift)),
  ]) {
    expect(types(program)).not.toContain("BatchNormalization");
    await expectRight(program);
  }
});

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
