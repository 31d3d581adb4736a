import { expect, it } from "vitest";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import * as ops from "../../../src/engine/operations.js";
import { countOf, expectRight, types, written } from "./fused-programs.js";

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

it("fields that are scaled, shifted and added to others take two passes", async () => {
  const program = written((x, scale, shift) => ops.add(ops.add(ops.exp(x), ops.multiply(x, scale)), shift));
  expect(countOf("BatchNormalization", program)).toBe(1);
  expect(countOf("Add", program)).toBe(1);
  await expectRight(program);
});

it("two fields that are scaled and added, as in the gradient of a normalisation, take two passes", async () => {
  for (const program of [
    written((x, scale, shift) =>
      ops.add(ops.add(ops.multiply(ops.exp(x), scale), ops.multiply(shift, x)), shift),
    ),
    written((x, scale, shift) => ops.add(ops.add(ops.multiply(x, scale), ops.multiply(x, shift)), shift)),
  ]) {
    expect(countOf("BatchNormalization", program)).toBe(1);
    expect(countOf("FusedConv", program)).toBe(1);
    expect(types(program)).not.toMatch(/Add|Mul/);
    await expectRight(program);
  }
});

it("a product that is used elsewhere is computed, and added", async () => {
  const program = written((x, scale, shift) => {
    const product = ops.multiply(ops.exp(x), scale);
    return ops.multiply(ops.add(ops.add(product, ops.multiply(x, scale)), shift), product);
  });
  expect(countOf("Add", program)).toBe(1);
  await expectRight(program);
});

it("a leaky ReLU of fields that are scaled and shifted is part of the same pass", async () => {
  const program = written((x, scale, shift) => ops.leakyRelu(ops.add(ops.multiply(x, scale), shift), 0.2));
  expect(countOf("FusedConv", program)).toBe(1);
  // It is named as an activation, but nothing is made by a node of that name.
  expect(types(program)).not.toContain("LeakyRelu_");
  await expectRight(program);
});

it("a leaky ReLU of what is used elsewhere, or of a longer sum, is a pass of its own", async () => {
  for (const program of [
    written((x, scale, shift) => {
      const sum = ops.add(ops.multiply(x, scale), shift);
      return ops.multiply(ops.leakyRelu(sum, 0.2), sum);
    }),
    written((x, scale, shift) =>
      ops.leakyRelu(ops.add(ops.add(ops.exp(x), ops.multiply(x, scale)), shift), 0.2),
    ),
  ]) {
    expect(countOf("LeakyRelu", program)).toBe(1);
    await expectRight(program);
  }
});

it("files for other tools have no operations of ONNX Runtime's own", () => {
  const program = written((x, scale, shift) => ops.leakyRelu(ops.add(ops.multiply(x, scale), shift), 0.2));
  expect(Buffer.from(encodeOnnx(program)).toString("latin1")).not.toContain("FusedConv");
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
