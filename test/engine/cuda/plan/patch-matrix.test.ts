import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlanOptions, planOf } from "../../../../src/engine/cuda/compile-plan.js";
import { stepText } from "../../../../src/engine/cuda/kernels/kernel-text.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { isOwn, type OwnProduct, type Plan } from "../../../../src/engine/cuda/plan/plan.js";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import { Program, type Tensor } from "../../../../src/engine/program.js";
import { elements } from "../../../../src/numerics/shape.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { interpretingBackend } from "./interpret.js";

const OURS = { shortInner: 0, thin: 0, processors: 1, hasKernel: () => true };

/** A convolution, its derivatives by field and kernel, and theirs: all three operations, each in both directions. */
const sliding = fc.record({
  clients: fc.constantFrom([], [1], [2]),
  samples: fc.integer({ min: 1, max: 2 }),
  channels: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  kernel: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 })),
  strides: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 })),
  padding: fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 2 })),
  more: fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 4 })),
});

describe("convolutions by products with patches that are not stored", () => {
  it("are like the reference, with their derivatives", async () => {
    await fc.assert(
      fc.asyncProperty(sliding, async ({ clients, samples, channels, kernel, strides, padding, more }) => {
        const size = kernel.map((length, axis) => Math.max(1, length - 2 * padding[axis]) + more[axis]);
        const shapes = [
          [...clients, samples, channels[0], ...size],
          [...clients, channels[1], channels[0], ...kernel],
        ];
        const values = shapes.map((shape, i) => draw(shape, `patches ${i}`));
        const all = (inputs: readonly Tensor[]) => {
          const y = ops.convolve(inputs[0], inputs[1], { strides, padding });
          const slopes = gradient(ops.sum(ops.multiply(y, ops.tanh(y))), inputs);
          return [y, ...slopes, ...gradient(ops.sum(ops.tanh(slopes[0])), inputs)];
        };
        const expected = await evaluate(all, shapes, values);
        const actual = await evaluate(all, shapes, values, interpretingBackend(OURS));
        actual.forEach((y, i) => {
          expect(error(y, expected[i])).toBeLessThan(1e-11);
        });
      }),
      { numRuns: 80 },
    );
  });

  it("read the field of a slice, and a part of the places for each of many blocks", async () => {
    const shapes = [
      [2, 2, 30, 40],
      [2, 3, 2, 3, 1],
    ];
    const values = shapes.map((shape, i) => draw(shape, `sliced ${i}`));
    const all = ([x, k]: readonly Tensor[]) => {
      const field = ops.reshape(ops.slice(x, -1, 1, 37), [2, 1, 2, 30, 36]);
      return gradient(ops.sum(ops.tanh(ops.convolve(field, k, { padding: [1, 0] }))), [x, k]);
    };
    const expected = await evaluate(all, shapes, values);
    const actual = await evaluate(all, shapes, values, interpretingBackend({ ...OURS, processors: 4 }));
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(1e-11);
    });
  });
});

/** A layer of ten clients with 16 samples each, and its gradients. */
function layer(
  kernel: readonly [number, number],
  strides: [number, number],
  options: PlanOptions = {},
): Plan {
  const program = new Program();
  const x = program.input("x", [10, 16, 16, 64, 40]);
  const k = program.input("k", [10, 16, 16, ...kernel]);
  const padding = kernel.map((length) => Math.floor(length / 2)) as [number, number];
  const field = ops.tanh(x);
  const y = ops.convolve(field, k, { strides, padding });
  const [ofField, ofKernel] = gradient(ops.sum(ops.multiply(y, y)), [field, k]);
  program.output("y", y);
  program.output("ofField", ofField);
  program.output("ofKernel", ofKernel);
  return planOf(program, options);
}

const readers = ({ steps }: Plan) =>
  steps.filter((step): step is OwnProduct => isOwn(step) && (step.a.patches ?? step.b.patches) !== undefined);
const largest = ({ buffers }: Plan) => Math.max(...[...buffers.values()].map(({ size }) => size));

describe("patches", () => {
  it("are not stored where all that take them are kernels of ours", () => {
    const plan = layer([3, 3], [1, 1]);
    expect(readers(plan)).toHaveLength(3);
    expect(largest(plan)).toBe(elements([10, 16, 16, 64, 40]));
    const stored = layer([3, 3], [1, 1], { hasKernel: () => false });
    expect(readers(stored)).toHaveLength(0);
    expect(largest(stored)).toBe(9 * largest(plan));
    const bytes = (one: Plan) => describePlan(one).reduce((sum, step) => sum + step.bytes, 0);
    expect(bytes(plan)).toBeLessThan(bytes(stored) / 4);
  });

  it("are added up only where the kernel would have to have many zeros", () => {
    expect(readers(layer([3, 1], [2, 1]))).toHaveLength(3);
    expect(readers(layer([3, 3], [2, 2]))).toHaveLength(2);
  });

  it("are copied several numbers at a time along rows of the field that a kernel leaves whole", () => {
    const widths = (plan: Plan) =>
      readers(plan).flatMap((step) =>
        [...stepText(step, plan.buffers)!.text.matchAll(/copy<(\d)>\(.*tapped/g)].map(([, count]) => count),
      );
    expect(widths(layer([3, 1], [1, 1]))).toEqual(["4"]);
    expect(widths(layer([3, 1], [2, 1]))).toEqual(["4"]);
    expect(widths(layer([3, 3], [1, 1]))).toEqual(["1"]);
  });
});
