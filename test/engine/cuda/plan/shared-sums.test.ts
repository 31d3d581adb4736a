import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Shape } from "../../../../src/engine/shape.js";
import { agreementWith, type Build, plansWith } from "./plan-for.js";

const planFor = plansWith({});
const expectAgreement = agreementWith({});

const textsOf = (shapes: readonly Shape[], build: Build): string[] =>
  describePlan(planFor(shapes, build)).map(({ text }) => text);

/** A field [clients, points x samples, channels] added up over samples, and over all with a factor for each of these. */
function sumsOf(points: number, samples: number): Build {
  return ([field, factors]) => {
    const [clients, , channels] = field.shape;
    return [
      ops.sum(ops.reshape(field, [clients, points, samples, channels]), [2]),
      ops.sum(ops.multiply(field, factors), [1]),
      ops.sum(ops.tanh(ops.multiply(field, factors)), [1]),
    ];
  };
}

const shapesOf = (clients: number, points: number, samples: number, channels: number): Shape[] => [
  [clients, points * samples, channels],
  [clients, points * samples, 1],
];

describe("sums of a large tensor over some numbers, and over these and more,", () => {
  it("take one pass over it", () => {
    const [first, ...others] = textsOf(shapesOf(2, 256, 16, 32), sumsOf(256, 16));
    expect(first).toBe("3 sums 16384 of 16");
    expect(others.join()).not.toContain("4096");
  });

  it("stay as they are where the tensor is small, the numbers are few, or others are meant", () => {
    expect(textsOf(shapesOf(1, 16, 16, 8), sumsOf(16, 16)).join()).toContain("2 sums 8 of 256");
    expect(textsOf(shapesOf(2, 1024, 4, 32), sumsOf(1024, 4)).join()).toContain("2 sums 64 of 4096");
    const acrossChannels: Build = ([field, factors]) => [
      ops.sum(ops.reshape(field, [2, 4096, 2, 16]), [2]),
      ops.sum(ops.multiply(field, factors), [1]),
    ];
    expect(textsOf(shapesOf(2, 256, 16, 32), acrossChannels).join()).toContain("1 sums 64 of 4096");
  });

  it("are computed like the reference", async () => {
    const sizes = fc.record({
      clients: fc.constantFrom(1, 3),
      points: fc.constantFrom(130, 256),
      samples: fc.constantFrom(8, 12, 16),
      channels: fc.constantFrom(32, 66),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ clients, points, samples, channels }) => {
        await expectAgreement(shapesOf(clients, points, samples, channels), sumsOf(points, samples));
      }),
      { numRuns: 8 },
    );
  });
});
