import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { centroidCosts } from "../../src/numerics/cost-matrix.js";
import { transportDistance } from "../../src/numerics/transport.js";
import { planBetween } from "../../src/studio/lab/plan.js";

const counts = (bins: number) =>
  fc.array(fc.nat({ max: 50 }), { minLength: bins, maxLength: bins }).filter((row) => row.some((n) => n > 0));
const problem = fc.integer({ min: 1, max: 12 }).chain((bins) =>
  fc.record({
    source: counts(bins),
    target: counts(bins),
    centroids: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), {
      minLength: 2 * bins,
      maxLength: 2 * bins,
    }),
  }),
);
const shares = (row: readonly number[]) => {
  const total = row.reduce((a, b) => a + b, 0);
  return row.map((count) => count / total);
};

describe("a transport plan between two clients", () => {
  it("carries the one histogram to the other, and its costs sum to their distance", () => {
    fc.assert(
      fc.property(problem, ({ source, target, centroids }) => {
        const cost = centroidCosts(centroids, source.length);
        const { distance, flows } = planBetween(source, target, cost)!;
        const [left, right] = [source, target].map((row) => row.map(() => 0));
        let sum = 0;
        for (const { from, to, mass, cost: paid } of flows) {
          expect(mass).toBeGreaterThan(0);
          left[from] += mass;
          right[to] += mass;
          sum += paid;
        }
        shares(source).forEach((share, bin) => {
          expect(left[bin]).toBeCloseTo(share, 12);
        });
        shares(target).forEach((share, bin) => {
          expect(right[bin]).toBeCloseTo(share, 12);
        });
        expect(sum).toBeCloseTo(distance, 10);
        expect(distance).toBe(transportDistance(source, target, cost));
      }),
    );
  });

  it("is not there for a client without samples", () => {
    expect(planBetween([0, 0], [1, 2], centroidCosts([0, 1], 2))).toBeUndefined();
  });
});
