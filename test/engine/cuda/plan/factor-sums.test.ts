import { describe, expect, it } from "vitest";
import type { PlanOptions } from "../../../../src/engine/cuda/compile-plan.js";
import type { Target } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import { stepText } from "../../../../src/engine/cuda/kernels/kernel-text.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import type { Shape } from "../../../../src/engine/shape.js";
import { agreementWith, type Build, plansWith } from "./plan-for.js";

const ours = { shortInner: 0, thin: 0, processors: 1, hasKernel: () => true };
const planFor = plansWith(ours);
const expectAgreement = agreementWith(ours);

const textsOf = (shapes: readonly Shape[], build: Build, options: PlanOptions = ours) =>
  describePlan(planFor(shapes, build, options)).map(({ text }) => text);

/** Gradients of a layer's weights and biases, from its input and the gradient of its output. */
const gradients: Build = ([x, dz]) => [ops.matmul(x, dz, { transposeA: true }), ops.sum(dz, [1])];
const layer = [
  [2, 40, 6],
  [2, 40, 5],
];

describe("a product whose factor is summed over the inner axis", () => {
  it("adds it up on the way, either of them", async () => {
    expect(textsOf(layer, gradients)).toEqual(["2 x [6, 40]^T [40, 5], ours, adding up its right factor"]);
    await expectAgreement(layer, gradients);
    const both: Build = ([x, dz]) => [...gradients([x, dz]), ops.sum(x, [1])];
    expect(textsOf(layer, both)).toEqual([
      "2 x [6, 40]^T [40, 5], ours, adding up its left factor, adding up its right factor",
    ]);
    await expectAgreement(layer, both);
  });

  it("does so part by part where it is divided, also over the last axis", async () => {
    const long = [
      [6, 1024],
      [1024, 5],
    ];
    const build: Build = ([x, y]) => [ops.matmul(x, y), ops.sum(x, [1]), ops.sum(y, [0])];
    const options = { ...ours, processors: 2 };
    expect(textsOf(long, build, options)).toContain(
      "4 x [6, 256] [256, 5], ours, adding up its left factor, adding up its right factor",
    );
    await expectAgreement(long, build, options);
  });

  it("leaves it to a launch if it needs the sum itself, if matrices share the factor or if a library computes it", async () => {
    const cyclic: Build = ([x, dz]) => {
      const total = ops.sum(dz, [1], { keep: true });
      return [ops.matmul(ops.multiply(x, ops.slice(total, 2, 0, 1)), dz, { transposeA: true }), total];
    };
    expect(textsOf(layer, cyclic).join()).not.toContain("adding up");
    await expectAgreement(layer, cyclic);
    const shared: Build = ([x, dz]) => [ops.matmul(x, dz, { transposeA: true }), ops.sum(dz, [0])];
    const shapes = [
      [2, 40, 6],
      [40, 5],
    ];
    expect(textsOf(shapes, shared).join()).not.toContain("adding up its right");
    await expectAgreement(shapes, shared);
    expect(textsOf(layer, gradients, { ...ours, hasKernel: () => false }).join()).not.toContain("adding up");
  });

  it("has one sum wait for another product's factor, but not both for each other", async () => {
    const shapes = [
      [30, 4],
      [30, 4],
    ];
    const build: Build = ([x, y]) => {
      const [ofX, ofY] = [x, y].map((factor) => ops.sum(factor, [0], { keep: true }));
      return [
        ops.matmul(ops.add(x, ofY), x, { transposeA: true }),
        ops.matmul(ops.add(y, ofX), y, { transposeA: true }),
      ];
    };
    const texts = textsOf(shapes, build).join();
    expect(texts.match(/adding up/g)).toHaveLength(1);
    await expectAgreement(shapes, build);
  });

  it("is found at the end of a long program", () => {
    const build: Build = ([x, w]) => {
      const last = Array.from({ length: 4000 }).reduce<Tensor>((h) => ops.matmul(h, w), x);
      return [ops.matmul(x, last, { transposeA: true }), ops.sum(last, [0])];
    };
    const shapes = [
      [8, 5],
      [5, 5],
    ];
    expect(textsOf(shapes, build).at(-1)).toBe("1 x [5, 8]^T [8, 5], ours, adding up its right factor");
  });

  it("does so by a line of ones where there is room for it, and by threads where there is none", () => {
    const textOf = (width: number, target?: Target) => {
      const shape = [10, 10240, width];
      const { steps, buffers } = planFor([shape, shape], gradients, {});
      return steps.map((step) => stepText(step, buffers, target)?.text ?? "").join();
    };
    expect(textOf(100)).toContain("= across == 100u ? 1.f : 0.f");
    expect(textOf(100)).not.toContain("columnSums");
    expect(textOf(64)).toContain("columnSums[j] += y[0] + y[1]");
    expect(textOf(64).match(/__shfl_xor_sync/g)).toHaveLength(2);
    // Products by one pass round what they multiply, which sums do not.
    expect(textOf(100, { passes: 1 })).toContain("columnSums[j] += y[0] + y[1]");
  });
});
