import fc from "fast-check";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import { type Shape, ShapeError } from "../../src/engine/shape.js";
import { draw } from "./evaluation.js";

export const SHAPES: readonly Shape[] = [[2, 3], [3, 2], [2, 2, 3], [3], [1, 3], []];

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

export interface Step {
  readonly instruction: number;
  readonly a: number;
  readonly b: number;
  readonly n: number;
}

export const steps = fc.array(
  fc.record({
    instruction: fc.nat(INSTRUCTIONS.length - 1),
    a: fc.nat(100),
    b: fc.nat(100),
    n: fc.nat(2),
  }),
  { minLength: 4, maxLength: 14 },
);

/** Takes the steps that fit, and weights the last few results. */
export function scalar(inputs: readonly Tensor[], taken: readonly Step[]): Tensor {
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

export const values = SHAPES.map((shape, i) => draw(shape, `operand ${i}`));
