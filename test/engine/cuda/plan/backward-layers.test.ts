import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanOptions } from "../../../../src/engine/cuda/compile-plan.js";
import { hasBackwardKernel } from "../../../../src/engine/cuda/kernels/backward/tiling.js";
import { canAddUp } from "../../../../src/engine/cuda/kernels/gemm-tall-skinny/lines.js";
import { HOPPER } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { derivativeOf, type Plan } from "../../../../src/engine/cuda/plan/plan.js";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import { layerShapes, layerWithGradients } from "../../../cuda/backward-layers.js";
import { agreementWith, type Build, plansWith } from "./plan-for.js";

const ours: PlanOptions = {
  processors: 1,
  hasKernel: () => true,
  canReduceLines: canAddUp,
  hasBackwardKernel: (layer) => hasBackwardKernel(layer, { ...HOPPER, processors: 1 }),
};
const planFor = plansWith(ours);
const expectAgreement = agreementWith(ours);
const backward = ({ steps }: Plan) => steps.flatMap((step) => (step.kind === "backward" ? [step] : []));
const SIZES = { batch: 2, rows: 256, inner: 8, columns: 64, outputs: 1 };
const SHAPES = layerShapes(SIZES);

describe("a wide layer on its way back", () => {
  it("is one step, whose derivative has no memory", () => {
    const plan = planFor(SHAPES, layerWithGradients);
    const [step, ...others] = backward(plan);
    expect(others).toEqual([]);
    expect(plan.buffers.has(derivativeOf(step).buffer)).toBe(false);
    const apart = planFor(SHAPES, layerWithGradients, { ...ours, hasBackwardKernel: () => false });
    expect(apart.steps).toHaveLength(plan.steps.length + 2);
    const traffic = (one: Plan) => describePlan(one).reduce((sum, { bytes }) => sum + bytes, 0);
    const { batch, rows, inner, columns } = SIZES;
    // The derivative is neither written nor read twice, and inputs are read once, not twice.
    expect(traffic(apart) - traffic(plan)).toBe(4 * batch * rows * (3 * columns + inner));
  });

  it("comes to what the reference computes, whatever its size", async () => {
    const sizes = fc.record({
      batch: fc.integer({ min: 1, max: 3 }),
      rows: fc.constantFrom(64, 128, 192),
      inner: fc.constantFrom(8, 16),
      columns: fc.constantFrom(64, 128),
      outputs: fc.integer({ min: 1, max: 3 }),
      shared: fc.boolean(),
    });
    let joined = 0;
    await fc.assert(
      fc.asyncProperty(sizes, async (one) => {
        const shapes = layerShapes(one);
        joined += backward(planFor(shapes, layerWithGradients)).length;
        await expectAgreement(shapes, layerWithGradients);
      }),
      { numRuns: 8, seed: 5 },
    );
    expect(joined).toBe(8);
  });

  /** Gradients of the layer, and what else is made of them, of the derivative by its elements and of its inputs. */
  const withMore =
    (more: (derivative: Tensor, gradients: readonly Tensor[]) => Tensor): Build =>
    (xs) => {
      const [x, weights, bias, last] = xs;
      const h = ops.add(ops.matmul(x, weights), bias);
      const y = ops.matmul(ops.gelu(h), last);
      const [derivative, ...gradients] = gradient(ops.sum(ops.multiply(y, y)), [h, ...xs]);
      return [...gradients, more(derivative, gradients)];
    };

  it.each<[string, (derivative: Tensor, gradients: readonly Tensor[]) => Tensor]>([
    ["its derivative comes out", (derivative) => derivative],
    ["its derivative is added up in another way", (derivative) => ops.sum(derivative, [2])],
    [
      "what becomes of one gradient takes the derivative as well",
      (derivative, [ofInputs]) => ops.multiply(ofInputs, ops.slice(derivative, 2, 0, SIZES.inner)),
    ],
    [
      "what becomes of one gradient takes sums that the same kernel would add up",
      (_, [, ofWeights, , ofLast]) => ops.multiply(ofWeights, ops.transpose(ofLast, [0, 2, 1])),
    ],
  ])("is several steps where %s", async (_, more) => {
    expect(backward(planFor(SHAPES, withMore(more)))).toEqual([]);
    await expectAgreement(SHAPES, withMore(more));
  });

  it("is several steps where its weights are patches of a field", async () => {
    const shapes = [
      [3, 1, 2, 16, 16],
      [3, 64, 2, 2, 2],
    ];
    const convolution: Build = (xs) => {
      const y = ops.convolve(xs[0], xs[1], { strides: [2, 2] });
      return gradient(ops.sum(ops.multiply(y, ops.multiply(y, y))), xs);
    };
    const asked: boolean[] = [];
    const options: PlanOptions = {
      ...ours,
      hasBackwardKernel: ({ layer, inputs }) => {
        asked.push((layer.b.patches ?? inputs.b.patches) !== undefined);
        return true;
      },
    };
    planFor(shapes, convolution, options);
    expect(asked).not.toContain(true);
  });

  it("is several steps where it does not fit a kernel", () => {
    for (const sizes of [
      { ...SIZES, inner: 12 },
      { ...SIZES, columns: 96 },
      { ...SIZES, rows: 224 },
      { ...SIZES, inner: 40, columns: 128 },
    ])
      expect(backward(planFor(layerShapes(sizes), layerWithGradients))).toEqual([]);
  });
});
