import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { totalVariation } from "../../../src/diagnostics/divergences.js";
import { type CostMatrix, centroidCosts, costMatrix } from "../../../src/numerics/cost-matrix.js";
import { transportDistance } from "../../../src/numerics/transport.js";
import { histogramsOf } from "../../../src/paper/theory/profiles.js";
import {
  heterogeneityBand,
  sharperLowerBound,
  transportBand,
} from "../../../src/paper/theory/transport-bounds.js";
import { weightedSpread } from "../../../src/paper/theory/weighted-centring.js";

const SLACK = 1e-12;
const size = fc.integer({ min: 2, max: 9 });
const coordinate = fc.integer({ min: -10_000, max: 10_000 }).map((value) => value / 1000); // no subnormal squares

const metric = (bins: number) =>
  fc
    .array(coordinate, { minLength: 3 * bins, maxLength: 3 * bins })
    .map((centroids) => centroidCosts(centroids, bins));
/** Any costs with a zero diagonal: the statements ask for no triangle inequality. */
const anyCost = (bins: number) =>
  fc
    .array(fc.double({ min: 0.01, max: 10, noNaN: true }), { minLength: bins * bins, maxLength: bins * bins })
    .map((values) =>
      costMatrix(
        values.map((value, i) => (i % (bins + 1) === 0 ? 0 : value)),
        bins,
      ),
    );

const problem = size.chain((bins) =>
  fc.record({
    cost: fc.oneof(metric(bins), anyCost(bins)),
    counts: fc
      .array(fc.array(fc.nat(40), { minLength: bins, maxLength: bins }), { minLength: 2, maxLength: 6 })
      .filter((rows) => rows.every((row) => row.some((count) => count > 0))),
  }),
);

/** H_q and H_W of clients with these counts. */
function measure(counts: readonly (readonly number[])[], cost: CostMatrix) {
  const { histograms, weights } = histogramsOf(counts);
  const whole = counts[0].map((_, b) => counts.reduce((sum, row) => sum + row[b], 0));
  const hW = counts.reduce((sum, row, k) => sum + weights[k] * transportDistance(row, whole, cost) ** 2, 0);
  return { hQ: weightedSpread(histograms, weights), hW };
}

describe("transport", () => {
  it("lies between c_min and c_max times total variation, under any cost (eq:app-tv)", () => {
    fc.assert(
      fc.property(problem, ({ cost, counts }) => {
        const { histograms } = histogramsOf(counts);
        const distance = transportDistance(counts[0], counts[1], cost);
        const { lower, upper } = transportBand(cost, totalVariation(histograms[0], histograms[1]));
        expect(distance).toBeGreaterThanOrEqual(lower - SLACK * cost.largest);
        expect(distance).toBeLessThanOrEqual(upper + SLACK * cost.largest);
      }),
    );
  });

  it("keeps H_W in its band about H_q, and above the sharper lower bound (eq:app-HW-Hq)", () => {
    fc.assert(
      fc.property(problem, ({ cost, counts }) => {
        const { hQ, hW } = measure(counts, cost);
        const { lower, upper } = heterogeneityBand(cost, hQ);
        const slack = SLACK * cost.largest * cost.largest;
        expect(hW).toBeLessThanOrEqual(upper + slack);
        expect(hW).toBeGreaterThanOrEqual(sharperLowerBound(cost, hQ) - slack);
        expect(lower).toBeLessThanOrEqual(sharperLowerBound(cost, hQ));
      }),
    );
  });

  it("attains c_min, c_max and the sharper lower bound with histograms of one bin each", () => {
    const cost = centroidCosts([0, 1, 5], 3);
    expect(transportDistance([1, 0, 0], [0, 1, 0], cost)).toBe(transportBand(cost, 1).lower);
    expect(transportDistance([1, 0, 0], [0, 0, 1], cost)).toBe(transportBand(cost, 1).upper);
    const { hQ, hW } = measure(
      [
        [4, 0, 0],
        [0, 4, 0],
      ],
      cost,
    );
    expect(hW).toBeCloseTo(sharperLowerBound(cost, hQ), 12);
  });

  it("attains the upper end with all of even many bins apart by as much", () => {
    const cost = costMatrix([0, 2, 2, 2, 2, 0, 2, 2, 2, 2, 0, 2, 2, 2, 2, 0], 4);
    const { hQ, hW } = measure(
      [
        [5, 5, 0, 0],
        [0, 0, 5, 5],
      ],
      cost,
    );
    expect(hW).toBeCloseTo(heterogeneityBand(cost, hQ).upper, 12);
  });
});
