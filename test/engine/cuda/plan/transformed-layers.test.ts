import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanOptions } from "../../../../src/engine/cuda/compile-plan.js";
import { HOPPER } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import {
  hasTransformedKernel,
  transformedSizes,
} from "../../../../src/engine/cuda/kernels/transformed/tiling.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { isOwn, type Plan } from "../../../../src/engine/cuda/plan/plan.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import { type FieldCase, fieldShapes, layerWithTransform } from "../../../cuda/transformed-layers.js";
import { agreementWith, type Build, plansWith } from "./plan-for.js";

/** Small ones are large enough. */
const ours: PlanOptions = {
  shortInner: 0,
  thin: 0,
  processors: 1,
  hasKernel: () => true,
  canFuseSecondProduct: () => true,
  hasTransformedKernel: (one) => hasTransformedKernel(one, { ...HOPPER, processors: 1 }),
};
const planFor = plansWith(ours);
const expectAgreement = agreementWith(ours);
const transformed = ({ steps }: Plan) => steps.flatMap((step) => (step.kind === "transformed" ? [step] : []));
const SIZES: FieldCase = { clients: 2, lines: 3, points: 32, samples: 2, known: 6, wanted: 5 };

describe("a layer of a Fourier neural operator", () => {
  it.each([false, true])(
    "is one step with the transform of what becomes of it; on the way back: %s",
    (turned) => {
      const sizes = { ...SIZES, turned };
      const plan = planFor(fieldShapes(sizes), layerWithTransform(sizes));
      expect(transformed(plan)).toHaveLength(1);
      const apart = planFor(fieldShapes(sizes), layerWithTransform(sizes), {
        ...ours,
        hasTransformedKernel: () => false,
      });
      expect(apart.steps).toHaveLength(plan.steps.length + 1);
      const total = (one: Plan, key: "bytes" | "flops") =>
        describePlan(one).reduce((sum, step) => sum + step[key], 0);
      const { clients, lines, points, samples } = sizes;
      // What the layer stores is not read again.
      expect(total(apart, "bytes") - total(plan, "bytes")).toBe(4 * clients * lines * points * samples * 32);
      expect(total(plan, "flops")).toBe(total(apart, "flops"));
    },
  );

  it("comes to what the reference computes, whatever its size", async () => {
    const sizes = fc.record({
      clients: fc.integer({ min: 2, max: 3 }),
      lines: fc.integer({ min: 3, max: 4 }),
      points: fc.constantFrom(32, 64),
      samples: fc.integer({ min: 2, max: 3 }),
      known: fc.integer({ min: 1, max: 9 }),
      wanted: fc.integer({ min: 1, max: 9 }),
      shared: fc.boolean(),
      bare: fc.boolean(),
      turned: fc.boolean(),
    });
    let joined = 0;
    await fc.assert(
      fc.asyncProperty(sizes, async (one) => {
        joined += transformed(planFor(fieldShapes(one), layerWithTransform(one))).length;
        await expectAgreement(fieldShapes(one), layerWithTransform(one));
      }),
      { numRuns: 6, seed: 3 },
    );
    expect(joined).toBe(6);
  });

  /** The layer, and what else becomes of its results in the place of the transform. */
  const followedBy =
    (follow: (field: Tensor, given: readonly Tensor[]) => Tensor[]): Build =>
    (given) => {
      const [, done] = layerWithTransform(SIZES)(given);
      const { clients, lines, points, samples } = SIZES;
      return [done, ...follow(ops.reshape(done, [clients, lines, points, samples * 32]), given)];
    };

  it.each<[string, (field: Tensor, given: readonly Tensor[]) => Tensor[]]>([
    [
      "is of its rows",
      (field, [back]) => [ops.matmul(field, ops.matmul(field, field, { transposeA: true })), back],
    ],
    [
      "has matrices of its own for every line",
      (field, [, forth]) => [ops.matmul(ops.tanh(ops.broadcast(forth, [2, 3, 5, 32])), field)],
    ],
    [
      "needs what is made of the layer",
      (field, [, forth]) => [ops.matmul(ops.add(forth, ops.sum(field)), field)],
    ],
    [
      "adds what is made of the layer",
      (field, [, forth]) => [ops.add(ops.matmul(forth, field), ops.sum(field))],
    ],
  ])("keeps apart a product that %s", async (_, follow) => {
    const build = followedBy(follow);
    expect(transformed(planFor(fieldShapes(SIZES), build))).toEqual([]);
    await expectAgreement(fieldShapes(SIZES), build);
  });

  it("takes one of two transforms", async () => {
    const build = followedBy((field, [, forth]) => [
      ops.matmul(forth, field),
      ops.matmul(ops.tanh(forth), field),
    ]);
    expect(transformed(planFor(fieldShapes(SIZES), build))).toHaveLength(1);
    await expectAgreement(fieldShapes(SIZES), build);
  });

  it("has blocks that share its lines evenly, and memory for a square ahead", () => {
    const sizes = { ...SIZES, clients: 10, lines: 128, points: 128, samples: 16, known: 24, wanted: 24 };
    const [step] = transformed(
      planFor(fieldShapes(sizes), layerWithTransform(sizes), { ...ours, hasTransformedKernel }),
    );
    expect(isOwn(step.layer) && step.layer.group).toBe(128);
    for (const reads of [0, 1]) {
      const { warps, alike, strips, ofBlock, end } = transformedSizes(step, reads, HOPPER)!;
      expect([warps, alike, strips]).toEqual([12, 2048, 20480]);
      expect(end).toBeLessThanOrEqual(HOPPER.blockShared);
      const turns = Math.ceil(ofBlock / warps) * Math.ceil(strips / ofBlock / HOPPER.processors);
      expect(turns * warps * HOPPER.processors).toBeLessThan(1.05 * strips);
    }
  });
});
