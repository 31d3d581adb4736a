import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { OPERATION_CASES } from "../../operation-cases.js";
import { SHAPES, scalar, steps, values } from "../../random-program.js";
import { LARGE } from "../large-cases.js";
import { interpretingBackend } from "./interpret.js";

const ways = {
  "as the compiler chooses": {},
  "with products only": { shortInner: 0, thin: 0, processors: 1, hasKernel: () => false },
  "with products of ours only": {
    shortInner: 0,
    thin: 0,
    processors: 1,
    hasKernel: () => true,
    canFuseSecondProduct: () => true,
  },
};

describe.each(Object.entries(ways))("a plan, %s,", (_, options) => {
  const backend = interpretingBackend(options);

  it.each(OPERATION_CASES)(
    "computes $title and its gradient like the reference",
    async ({ shapes, apply, positive }) => {
      const values = shapes.map((shape, i) => draw(shape, `operand ${i}`, positive ? [0.5, 2] : [-1, 1]));
      const both = (inputs: Parameters<typeof apply>[0]) => {
        const y = apply(inputs);
        const seed = y.program.constant(draw(y.shape, "seed"), y.shape);
        return [y, ...gradient(y, inputs, seed)];
      };
      const expected = await evaluate(both, shapes, values);
      const actual = await evaluate(both, shapes, values, backend);
      actual.forEach((y, i) => {
        expect(error(y, expected[i])).toBeLessThan(1e-12);
      });
    },
  );

  it("computes random programs, their gradients and the gradients of these like the reference", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const all = (inputs: readonly Tensor[]) => {
          const y = scalar(inputs, taken);
          const slopes = gradient(y, inputs);
          const square = slopes.map((g) => ops.sum(ops.multiply(g, g))).reduce(ops.add);
          return [y, ...slopes, ...gradient(square, inputs)];
        };
        const expected = await evaluate(all, SHAPES, values);
        const actual = await evaluate(all, SHAPES, values, backend);
        actual.forEach((y, i) => {
          expect(error(y, expected[i])).toBeLessThan(1e-10);
        });
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

describe("a plan for large tensors", () => {
  const withProducts = LARGE.filter(([title]) => /product|gradient|convolution/.test(title));
  const cases = [
    ...LARGE.map((one) => [...one, {}] as const),
    ...withProducts.map((one) => [...one, { hasKernel: () => true }] as const),
  ];
  it.each(cases)("computes %s, and gradients, like the reference", async (_, shapes, build, options) => {
    const inputs = shapes.map((shape, i) => draw(shape, `large ${i}`));
    const all = (xs: readonly Tensor[]) => {
      const ys = build(xs);
      const total = ys.map((y) => ops.sum(ops.multiply(y, ops.tanh(y)))).reduce(ops.add);
      return [...ys, ...gradient(total, xs)];
    };
    const expected = await evaluate(all, shapes, inputs);
    const actual = await evaluate(all, shapes, inputs, interpretingBackend(options));
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(1e-11);
    });
  });
});

describe("a plan with a copy in another order that a sum reads as well", () => {
  it("writes that copy once", async () => {
    const shapes = [[2, 3, 4, 5], [5]];
    const inputs = shapes.map((shape, i) => draw(shape, `factor ${i}`));
    const build = ([x, y]: readonly Tensor[]) => {
      const z = ops.multiply(x, y);
      const turned = ops.transpose(z, [3, 1, 2, 0]);
      const product = ops.matmul(turned, turned, { transposeA: true });
      return [product, ops.sum(turned, [2]), z];
    };
    const expected = await evaluate(build, shapes, inputs);
    const backend = interpretingBackend(ways["with products only"]);
    const actual = await evaluate(build, shapes, inputs, backend);
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(1e-12);
    });
  });
});
