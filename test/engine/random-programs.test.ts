import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import { compile, draw, error, evaluate } from "./evaluation.js";
import { SHAPES, scalar, steps, values } from "./random-program.js";

const moved = (by: number) =>
  values.map((value, i) => value.map((x, k) => x + by * draw(SHAPES[i], `direction ${i}`)[k]));

describe("a random program", () => {
  it("has a gradient along which it changes as finite differences tell", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const f = await compile((inputs) => [scalar(inputs, taken)], SHAPES);
        const difference = ((await f(moved(1e-5)))[0][0] - (await f(moved(-1e-5)))[0][0]) / 2e-5;
        const slopes = await evaluate((inputs) => gradient(scalar(inputs, taken), inputs), SHAPES, values);
        const slope = slopes.reduce(
          (sum, g, i) => sum + draw(SHAPES[i], `direction ${i}`).reduce((dot, v, k) => dot + v * g[k], 0),
          0,
        );
        expect(Math.abs(slope - difference)).toBeLessThan(1e-7 * Math.max(1, Math.abs(slope)));
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it("gives the same in ONNX Runtime and in the reference, with gradients and their gradients", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const all = (inputs: readonly Tensor[]) => {
          const y = scalar(inputs, taken);
          const slopes = gradient(y, inputs);
          const square = slopes.map((g) => ops.sum(ops.multiply(g, g))).reduce(ops.add);
          return [y, ...slopes, ...gradient(square, inputs)];
        };
        const expected = await evaluate(all, SHAPES, values);
        const actual = await evaluate(all, SHAPES, values, onnxBackend);
        actual.forEach((y, i) => {
          expect(error(y, expected[i])).toBeLessThan(1e-4);
        });
      }),
      { numRuns: 40, seed: 2 },
    );
  });
});
