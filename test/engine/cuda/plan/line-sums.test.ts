import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanOptions } from "../../../../src/engine/cuda/compile-plan.js";
import { canAddUp } from "../../../../src/engine/cuda/kernels/gemm-tall-skinny/lines.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { isOwn } from "../../../../src/engine/cuda/plan/plan.js";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Shape } from "../../../../src/engine/shape.js";
import { agreementWith, type Build, plansWith } from "./plan-for.js";

const ours: PlanOptions = { processors: 1, hasKernel: () => true, canReduceLines: canAddUp };
const planFor = plansWith(ours);
const expectAgreement = agreementWith(ours);

/** A layer, its results after an activation in one number each, and gradients of all inputs. */
const layer: Build = (xs) => {
  const [x, weights, bias, last] = xs;
  const y = ops.matmul(ops.gelu(ops.add(ops.matmul(x, weights), bias)), last);
  return [y, ...gradient(ops.sum(ops.multiply(y, ops.tanh(y))), xs)];
};

const shapesOf = (batch: number, rows: number, inner: number, columns: number, shared = false): Shape[] => [
  [batch, rows, inner],
  [...(shared ? [] : [batch]), inner, columns],
  [...(shared ? [] : [batch, 1]), columns],
  [...(shared ? [] : [batch]), columns, 1],
];

describe("a wide layer of which only sums over its columns go on", () => {
  it("is computed for these, and again for its gradient, and written at neither time", () => {
    const plan = planFor(shapesOf(2, 64, 8, 32), layer);
    const texts = describePlan(plan).map(({ text }) => text);
    const [before, after] = texts.filter((text) => text.startsWith("2 x [64, 8] [8, 32]"));
    expect(before).toBe("2 x [64, 8] [8, 32], ours, adding up multiply gelu add along each row");
    expect(after).toMatch(/, ours, to multiply geluSlope .*, adding up multiply gelu .* along each column$/);
    const stored = plan.steps
      .filter(isOwn)
      .filter(({ inner }) => inner === 8)
      .map(({ epilogue }) => epilogue.length);
    expect(stored).toEqual([0, 1]);
  });

  it("is computed like the reference, whatever its size, with weights of its own or shared", async () => {
    const sizes = fc.record({
      batch: fc.integer({ min: 1, max: 3 }),
      strips: fc.integer({ min: 1, max: 5 }),
      inner: fc.constantFrom(5, 8, 16),
      columns: fc.constantFrom(32, 64),
      shared: fc.boolean(),
    });
    let added = 0;
    await fc.assert(
      fc.asyncProperty(sizes, async ({ batch, strips, inner, columns, shared }) => {
        const shapes = shapesOf(batch, 16 * strips, inner, columns, shared);
        await expectAgreement(shapes, layer);
        added += planFor(shapes, layer)
          .steps.filter(isOwn)
          .flatMap(({ lines }) => lines).length;
      }),
      { numRuns: 20, seed: 3 },
    );
    expect(added).toBeGreaterThanOrEqual(30);
  });

  it("adds up columns in parts where there are many rows", async () => {
    const shapes = shapesOf(1, 2048, 5, 32);
    const options = { ...ours, processors: 8 };
    const lines = planFor(shapes, layer, options)
      .steps.filter(isOwn)
      .flatMap((step) => step.lines.map(({ along, length }) => `${along} ${length}`));
    expect(lines).toEqual(["row 32", "column 1024"]);
    await expectAgreement(shapes, layer);
  });

  it("is kept where it is no wider than what it is made of, or no kernel adds up its lines", async () => {
    for (const shapes of [shapesOf(2, 64, 20, 32), shapesOf(2, 64, 8, 40), shapesOf(2, 70, 8, 32)]) {
      const products = planFor(shapes, layer).steps.filter(isOwn);
      const [rows, inner] = shapes[0].slice(1);
      expect(products.filter((step) => step.rows === rows && step.inner === inner)).toHaveLength(1);
      await expectAgreement(shapes, layer);
    }
  });

  it("is kept where something else needs it", async () => {
    const build: Build = (xs) => [...layer(xs), ops.relu(ops.matmul(xs[0], xs[1]))];
    await expectAgreement(shapesOf(2, 64, 8, 32), build);
  });
});
