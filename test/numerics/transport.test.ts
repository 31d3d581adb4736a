import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { type CostMatrix, centroidCosts, costMatrix } from "../../src/numerics/cost-matrix.js";
import {
  pairwiseTransport,
  type Transport,
  transport,
  transportDistance,
  transportSolver,
} from "../../src/numerics/transport.js";
import { transportByLinearProgram } from "./linear-program.js";

const BINS = 6;
const counts = (max: number) =>
  fc
    .array(fc.oneof(fc.constant(0), fc.nat(max)), { minLength: BINS, maxLength: BINS })
    .filter((histogram) => histogram.some((count) => count > 0));
/** Many zero bins, few distinct counts, totals that differ by up to five orders of magnitude. */
const histogram = fc.oneof(
  counts(2),
  counts(30),
  counts(100_000),
  fc.nat(BINS - 1).map((bin) => Array.from({ length: BINS }, (_, b) => (b === bin ? 7 : 0))),
);
/** Centroids in the plane; on the coarse grid some coincide, so that some costs off the diagonal are zero. */
const metric = fc
  .tuple(fc.array(fc.nat(1000), { minLength: 2 * BINS, maxLength: 2 * BINS }), fc.constantFrom(500, 1))
  .map(([places, grid]) =>
    centroidCosts(
      places.map((place) => Math.floor(place / grid)),
      BINS,
    ),
  );
const anyCost = fc
  .array(
    fc.oneof(
      fc.constant(0),
      fc.nat(5000).map((value) => value / 997),
    ),
    {
      minLength: BINS * BINS,
      maxLength: BINS * BINS,
    },
  )
  .map((values) => costMatrix(values, BINS));

const fractions = (masses: readonly number[]) => {
  const total = masses.reduce((a, b) => a + b, 0);
  return masses.map((mass) => mass / total);
};

function expectCoupling(
  { distance, plan }: Transport,
  source: number[],
  target: number[],
  cost: CostMatrix,
): void {
  const out = new Array<number>(cost.size).fill(0);
  const into = new Array<number>(cost.size).fill(0);
  let total = 0;
  plan.mass.forEach((mass, entry) => {
    expect(mass).toBeGreaterThan(0);
    out[plan.from[entry]] += mass;
    into[plan.to[entry]] += mass;
    total += mass * cost.values[plan.from[entry] * cost.size + plan.to[entry]];
  });
  fractions(source).forEach((mass, bin) => {
    expect(Math.abs(out[bin] - mass)).toBeLessThan(1e-15);
  });
  fractions(target).forEach((mass, bin) => {
    expect(Math.abs(into[bin] - mass)).toBeLessThan(1e-15);
  });
  expect(Math.abs(total - distance)).toBeLessThan(1e-14 * (1 + cost.largest));
}

describe("transport", () => {
  it("agrees with a linear-programming solver under metric costs", () => {
    fc.assert(
      fc.property(histogram, histogram, metric, (source, target, cost) => {
        const expected = transportByLinearProgram(source, target, cost.values);
        expect(Math.abs(transportDistance(source, target, cost) - expected)).toBeLessThan(
          1e-10 * (1 + cost.largest),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("agrees with a linear-programming solver under costs that are no metric", () => {
    fc.assert(
      fc.property(histogram, histogram, anyCost, (source, target, cost) => {
        const expected = transportByLinearProgram(source, target, cost.values);
        expect(Math.abs(transportDistance(source, target, cost) - expected)).toBeLessThan(1e-10);
      }),
      { numRuns: 300 },
    );
  });

  it("agrees with a linear-programming solver on histograms of forty bins", () => {
    const values = (length: number, step: number, modulus: number) =>
      Array.from({ length }, (_, index) => (index * index * step + 17 * index) % modulus);
    const cost = centroidCosts(values(120, 37, 1009), 40);
    const [source, target] = [values(40, 53, 101), values(40, 29, 211)];
    const expected = transportByLinearProgram(source, target, cost.values);
    expect(transportDistance(source, target, cost)).toBeCloseTo(expected, 8);
  });

  it("returns a plan with the given marginals whose cost is the distance", () => {
    fc.assert(
      fc.property(histogram, histogram, fc.oneof(metric, anyCost), (source, target, cost) => {
        const solved = transport(source, target, cost);
        expectCoupling(solved, source, target, cost);
        expect(solved.distance).toBe(transportDistance(source, target, cost));
      }),
    );
  });

  it("takes masses that are not whole", () => {
    const mass = fc.nat(1000).map((value) => value / 997);
    const masses = fc
      .array(mass, { minLength: BINS, maxLength: BINS })
      .filter((values) => values.some((value) => value > 0));
    fc.assert(
      fc.property(masses, masses, metric, (source, target, cost) => {
        const solved = transport(source, target, cost);
        expectCoupling(solved, source, target, cost);
        const expected = transportByLinearProgram(source, target, cost.values);
        expect(Math.abs(solved.distance - expected)).toBeLessThan(1e-9 * (1 + cost.largest));
      }),
    );
  });

  it("leaves shared mass where it is under a metric", () => {
    const cost = centroidCosts([0, 1, 3], 3);
    const { distance, plan } = transport([2, 1, 1], [1, 1, 2], cost);
    expect(distance).toBe(0.75);
    expect(Array.from(plan.from)).toEqual([0, 0, 1, 2]);
    expect(Array.from(plan.to)).toEqual([0, 2, 1, 2]);
    expect(Array.from(plan.mass)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it("moves shared mass when a cost that is no metric makes that worthwhile", () => {
    expect(transportDistance([1, 1], [1, 1], costMatrix([5, 1, 1, 5], 2))).toBe(1);
  });

  it("is zero within a single bin", () => {
    expect(transport([3], [8], centroidCosts([1], 1))).toEqual({
      distance: 0,
      plan: { from: Int32Array.of(0), to: Int32Array.of(0), mass: Float64Array.of(1) },
    });
  });

  it("is a metric between histograms under a metric cost", () => {
    fc.assert(
      fc.property(histogram, histogram, histogram, metric, (p, q, r, cost) => {
        const slack = 1e-12 * (1 + cost.largest);
        const between = transportSolver(cost).distance;
        expect(between(p, p)).toBe(0);
        expect(between(p, q)).toBeGreaterThanOrEqual(0);
        expect(Math.abs(between(p, q) - between(q, p))).toBeLessThan(slack);
        expect(between(p, r)).toBeLessThan(between(p, q) + between(q, r) + slack);
        if (cost.smallest > 0 && between(p, q) === 0) {
          fractions(p).forEach((mass, bin) => {
            expect(mass).toBeCloseTo(fractions(q)[bin], 15);
          });
        }
      }),
    );
  });

  it("lies within the bounds by total variation and by the Euclidean norm (lem:app-transport)", () => {
    fc.assert(
      fc.property(histogram, histogram, metric, (p, q, cost) => {
        const difference = fractions(p).map((mass, bin) => mass - fractions(q)[bin]);
        const variation = difference.reduce((sum, d) => sum + Math.abs(d), 0) / 2;
        const norm = Math.hypot(...difference);
        const distance = transportDistance(p, q, cost);
        const slack = 1e-12 * (1 + cost.largest);
        expect(distance).toBeGreaterThan(cost.smallest * variation - slack);
        expect(distance).toBeLessThan(cost.largest * variation + slack);
        expect(distance).toBeGreaterThan((cost.smallest / 2) * norm - slack);
        expect(distance).toBeLessThan((cost.largest * Math.sqrt(BINS) * norm) / 2 + slack);
      }),
    );
  });

  it("does not change when a histogram is scaled, and scales with the costs", () => {
    fc.assert(
      fc.property(histogram, histogram, metric, fc.integer({ min: 2, max: 1000 }), (p, q, cost, factor) => {
        const distance = transportDistance(p, q, cost);
        const slack = 1e-12 * (1 + cost.largest);
        const scaled = p.map((count) => count * factor);
        expect(Math.abs(transportDistance(scaled, q, cost) - distance)).toBeLessThan(slack);
        const dearer = costMatrix(
          cost.values.map((value) => value * 4),
          BINS,
        );
        expect(Math.abs(transportDistance(p, q, dearer) - 4 * distance)).toBeLessThan(4 * slack);
      }),
    );
  });

  it("refuses histograms that are empty, negative, not numbers or of another length", () => {
    const cost = centroidCosts([0, 1], 2);
    expect(() => transport([0, 0], [1, 1], cost)).toThrow(DataError);
    expect(() => transport([1, 1], [0, 0], cost)).toThrow("without any mass");
    expect(() => transport([1, -1], [1, 1], cost)).toThrow("bin 1 of a histogram has mass -1");
    expect(() => transport([1, NaN], [1, 1], cost)).toThrow(DataError);
    expect(() => transport([1, Infinity], [1, 1], cost)).toThrow(DataError);
    expect(() => transport([1, 1, 1], [1, 1], cost)).toThrow("3 bins where the cost matrix has 2");
  });
});

describe("pairwise transport", () => {
  const many = fc.array(histogram, { minLength: 1, maxLength: 6 });

  it("equals the pairs one by one, to the last bit", () => {
    fc.assert(
      fc.property(many, fc.oneof(metric, anyCost), (histograms, cost) => {
        const { distances, plans } = pairwiseTransport(histograms, cost, { plans: true });
        expect(pairwiseTransport(histograms, cost).distances).toEqual(distances);
        histograms.forEach((source, i) => {
          histograms.forEach((target, j) => {
            const reversed = cost.metric && i > j;
            const single = reversed ? transport(target, source, cost) : transport(source, target, cost);
            expect(distances[i * histograms.length + j]).toBe(single.distance);
            const entries = plans.source
              .map((s, e) => (s === i && plans.target[e] === j ? e : -1))
              .filter((e) => e >= 0);
            const expected = i < j ? single.plan : { from: [], to: [], mass: [] };
            expect(Array.from(entries, (e) => plans.from[e])).toEqual(Array.from(expected.from));
            expect(Array.from(entries, (e) => plans.to[e])).toEqual(Array.from(expected.to));
            expect(Array.from(entries, (e) => plans.mass[e])).toEqual(Array.from(expected.mass));
          });
        });
      }),
    );
  });

  it("has the entries of a plan by the bins that they leave, then by those that they enter", () => {
    fc.assert(
      fc.property(histogram, histogram, fc.oneof(metric, anyCost), (source, target, cost) => {
        const { from, to } = transport(source, target, cost).plan;
        const places = Array.from(from, (bin, entry) => bin * BINS + to[entry]);
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }),
    );
  });

  it("makes plans of hundreds of histograms in a few times what their distances take", () => {
    const cost = centroidCosts([0, 1, 3, 4, 8, 9, 11, 17, 20, 30], 10);
    const histograms = Array.from({ length: 300 }, (_, client) =>
      Array.from({ length: 10 }, (_, bin) => (client * 37 + bin * 101) % 17),
    );
    const time = (plans: boolean) => {
      const started = performance.now();
      pairwiseTransport(histograms, cost, { plans });
      return performance.now() - started;
    };
    const turns = Array.from({ length: 5 }, () => [time(false), time(true)]);
    const [without, withPlans] = [0, 1].map((i) => Math.min(...turns.map((turn) => turn[i])));
    expect(withPlans / without).toBeLessThan(6); // one object for every entry: 13 times
  });

  it("returns no plans unless asked", () => {
    const { plans } = pairwiseTransport([[1, 0], [0, 1]], centroidCosts([0, 1], 2)); // biome-ignore format: one line
    expect(plans.mass).toHaveLength(0);
  });
});
