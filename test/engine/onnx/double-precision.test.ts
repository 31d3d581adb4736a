import { describe, expect, it } from "vitest";
import { onnxDoubleBackend } from "../../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../../src/engine/operations.js";
import { error, evaluate } from "../evaluation.js";

describe("ONNX Runtime in float64", () => {
  it("has the error function to the last digits over its whole range", async () => {
    const x = Float64Array.from({ length: 2801 }, (_, i) => (i - 1400) / 200);
    const [actual] = await evaluate(([t]) => [ops.erf(t)], [[x.length]], [x], onnxDoubleBackend);
    const [expected] = await evaluate(([t]) => [ops.erf(t)], [[x.length]], [x]);
    actual.forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(4e-16 + 4e-15 * Math.abs(expected[i]));
    });
  });

  it("tells the sign of numbers that float32 takes for zero", async () => {
    const x = Float64Array.of(1e-300, 0, -1e-300, 5e-324);
    const [actual] = await evaluate(([t]) => [ops.step(t)], [[4]], [x], onnxDoubleBackend);
    expect([...actual]).toEqual([1, 0, 0, 1]);
  });

  it("keeps slopes and constants that float32 would round", async () => {
    const x = Float64Array.of(-1);
    const [leaky, third] = await evaluate(
      ([t]) => [ops.leakyRelu(t, 0.2), ops.multiply(t, 1 / 3)],
      [[1]],
      [x],
      onnxDoubleBackend,
    );
    expect(error(leaky, [-0.2])).toBe(0);
    expect(error(third, [-1 / 3])).toBe(0);
  });
});
