import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import { type Shape, ShapeError } from "../../src/engine/shape.js";
import { compile, draw, error, evaluate } from "./evaluation.js";

const SHAPES: readonly Shape[] = [[2, 3], [3, 2], [2, 2, 3], [3], [1, 3], []];

/** What a random program may do with two tensors and a small number; smooth, and without growth. */
const INSTRUCTIONS: readonly ((a: Tensor, b: Tensor, n: number) => Tensor)[] = [
  (a, b) => ops.add(a, b),
  (a, b) => ops.subtract(a, b),
  (a, b) => ops.tanh(ops.multiply(a, b)),
  (a, b) => ops.divide(a, ops.add(2, ops.multiply(b, b))),
  (a) => ops.erf(ops.negate(a)),
  (a) => ops.exp(ops.negate(ops.multiply(a, a))),
  (a) => ops.sqrt(ops.add(1, ops.multiply(a, a))),
  (a) => ops.log(ops.add(1, ops.multiply(a, a))),
  (a, b, n) => ops.tanh(ops.matmul(a, b, { transposeA: n % 2 === 1, transposeB: n > 1 })),
  (a, b, n) => ops.subtract(b, ops.matmul(a, a, n > 1 ? { transposeA: true } : { transposeB: true })),
  (a, _, n) => ops.mean(a, [n], { keep: n > 1 }),
  (a, _, n) => ops.sum(a, [n], { keep: n > 1 }),
  (a) => ops.transpose(a),
  (a) => ops.reshape(a, [a.shape.reduce((x, y) => x * y, 1)]),
  (a, b, n) => ops.concat([a, b], n),
  (a, _, n) => ops.slice(a, n, 0, (a.shape[n] ?? 1) - 1),
  (a, _, n) => ops.pad(a, n, 1, 2),
  (a) => ops.broadcast(a, [2, ...a.shape]),
  (a) => ops.gather(a, a.program.constantInts([(a.shape[0] ?? 1) - 1, 0, 0])),
];

interface Step {
  readonly instruction: number;
  readonly a: number;
  readonly b: number;
  readonly n: number;
}

const steps = fc.array(
  fc.record({
    instruction: fc.nat(INSTRUCTIONS.length - 1),
    a: fc.nat(100),
    b: fc.nat(100),
    n: fc.nat(2),
  }),
  { minLength: 4, maxLength: 14 },
);

/** Takes the steps that fit, and weights the last few results. */
function scalar(inputs: readonly Tensor[], taken: readonly Step[]): Tensor {
  const made = [...inputs];
  for (const { instruction, a, b, n } of taken) {
    try {
      made.push(INSTRUCTIONS[instruction](made[a % made.length], made[b % made.length], n));
    } catch (problem) {
      if (!(problem instanceof ShapeError)) throw problem;
    }
  }
  return made
    .slice(-4)
    .map((x, i) =>
      ops.mean(ops.multiply(ops.tanh(x), x.program.constant(draw(x.shape, `weights ${i}`), x.shape))),
    )
    .reduce(ops.add);
}

const values = SHAPES.map((shape, i) => draw(shape, `operand ${i}`));
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
