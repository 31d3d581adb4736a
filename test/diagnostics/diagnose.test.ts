import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { centroidCosts, costMatrix } from "../../src/numerics/cost-matrix.js";
import { countTable } from "../../src/partition/assignment.js";
import { partitionBins } from "../../src/partition/partition.js";

/** Four bins on a line at 0, 1, 3 and 6: transport there is the area between cumulative histograms. */
const LINE = centroidCosts([0, 1, 3, 6], 4);

function alongTheLine(p: readonly number[], q: readonly number[]): number {
  const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  let distance = 0;
  let excess = 0;
  [1, 2, 3].forEach((gap, bin) => {
    excess += p[bin] / total(p) - q[bin] / total(q);
    distance += gap * Math.abs(excess);
  });
  return distance;
}

describe("a diagnosis", () => {
  const counts = [
    [10, 0, 0, 10],
    [0, 30, 10, 0],
    [5, 5, 5, 5],
  ];
  const { metrics, distances, plans, notes } = diagnose({ counts, cost: LINE });

  it("gives D_sol as the mean over pairs of exact transport distances", () => {
    const pairs = [
      alongTheLine(counts[0], counts[1]),
      alongTheLine(counts[0], counts[2]),
      alongTheLine(counts[1], counts[2]),
    ];
    expect(metrics.d_sol).toBeCloseTo((pairs[0] + pairs[1] + pairs[2]) / 3, 14);
    expect(distances[0 * 3 + 1]).toBeCloseTo(pairs[0], 14);
    expect(distances[2 * 3 + 1]).toBeCloseTo(pairs[2], 14);
  });

  it("leaves out the plans of more than a thousand clients, whose pairs would fill the memory, and says so", () => {
    const many = Array.from({ length: 1001 }, (_, client) => [1 + (client % 3), 1]);
    const cost = centroidCosts([0, 1], 2);
    const some = diagnose({ counts: many.slice(1), cost });
    const all = diagnose({ counts: many, cost });
    expect(some.plans.mass.length).toBeGreaterThan(0);
    expect(all.plans.mass.length).toBe(0);
    expect(all.notes).toContain(
      "Transport plans are left out: the pairs of 1001 clients would take gigabytes of them.",
    );
    expect(some.notes.join()).not.toMatch(/plans/);
    expect(diagnose({ counts: many, cost, plans: true }).plans.mass.length).toBeGreaterThan(0);
  });

  it("gives plans whose cost is the distance", () => {
    const cost = [0, 0, 0].map((_, pair) => {
      const [i, j] = [
        [0, 1],
        [0, 2],
        [1, 2],
      ][pair];
      let sum = 0;
      plans.mass.forEach((mass, e) => {
        if (plans.source[e] === i && plans.target[e] === j)
          sum += mass * LINE.values[plans.from[e] * 4 + plans.to[e]];
      });
      return sum - distances[i * 3 + j];
    });
    for (const difference of cost) expect(difference).toBeCloseTo(0, 14);
  });

  it("gives the sizes and their variation", () => {
    expect(metrics.n_min).toBe(20);
    expect(metrics.n_max).toBe(40);
    expect(metrics.cv_n).toBeCloseTo(Math.sqrt((2 * 400) / 9 + 1600 / 9) / Math.sqrt(3) / (80 / 3), 14);
  });

  it("leaves open what it cannot know", () => {
    expect(metrics).toMatchObject({
      eps_part: null,
      eps_quant: null,
      input_w1: null,
      h_u: null,
      h_u_expected: null,
    });
    expect(notes).toEqual([]);
  });

  it("leaves clients without samples out of the means and says so", () => {
    const withEmpty = diagnose({ counts: [counts[0], [0, 0, 0, 0], counts[1], counts[2]], cost: LINE });
    expect(withEmpty.metrics.d_sol).toBeCloseTo(metrics.d_sol, 14);
    expect(withEmpty.distances[1 * 4 + 2]).toBeNaN();
    expect(withEmpty.distances[0 * 4 + 2]).toBe(distances[0 * 3 + 1]);
    expect(new Set(withEmpty.plans.target)).toEqual(new Set([2, 3]));
    expect(withEmpty.notes).toEqual(["1 client (1) without a sample; means over pairs omit them."]);
  });

  it("says what is degenerate", () => {
    const together = centroidCosts([0, 0, 3, 6], 4);
    const empty = counts.map((row) => [row[0], row[1], 0, row[3]]);
    expect(diagnose({ counts: empty, cost: together }).notes).toEqual([
      "1 bin (2) without a sample.",
      "c_min = 0, since two bins have the same centroid: the lower bounds are zero.",
    ]);
    const detour = costMatrix([0, 9, 1, 9, 0, 1, 1, 1, 0], 3);
    expect(
      diagnose({
        counts: [
          [1, 0, 1],
          [0, 2, 1],
        ],
        cost: detour,
      }).notes[0],
    ).toMatch(/triangle inequality/);
    expect(diagnose({ counts: [[4], [6]], cost: centroidCosts([1], 1) }).notes[0]).toMatch(
      /There is only one bin/,
    );
    const inputDistances = { mean: 0, distances: new Float64Array(9), samplesPerClient: 20 };
    expect(diagnose({ counts, cost: LINE, inputDistances }).notes[0]).toMatch(/inputs are equal/);
  });

  it("refuses tables that do not fit and partitions without two clients", () => {
    expect(() => diagnose({ counts: [[1, 2]], cost: LINE })).toThrow(/client 0 has counts for 2 bins/);
    expect(() =>
      diagnose({
        counts: [
          [1, 2, 3, 4],
          [0, 0, 0, 0],
        ],
        cost: LINE,
      }),
    ).toThrow(/has 1/);
  });
});

describe("on any partition", () => {
  const cases = fc.record({
    clients: fc.integer({ min: 2, max: 12 }),
    logAlpha: fc.double({ min: -3, max: 3, noNaN: true }),
    seed: fc.nat(),
    centroids: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 8, maxLength: 8 }),
  });

  it("D_sol lies between its bounds by total variation, and H_W between its bounds by H_q", () => {
    fc.assert(
      fc.property(cases, ({ clients, logAlpha, seed, centroids }) => {
        const binOfSample = Int32Array.from({ length: 200 }, (_, sample) => (sample * sample) % 4);
        const partition = partitionBins(binOfSample, {
          clients,
          bins: 4,
          alpha: 10 ** logAlpha,
          seed,
          minSize: 3,
        });
        const { alpha, proportions, target, repairs } = partition;
        const { metrics } = diagnose({
          counts: countTable(partition),
          cost: centroidCosts(centroids, 4),
          drawn: { alpha, proportions, target, repairs: repairs.length },
        });
        const slack = 1e-9;
        expect(metrics.d_sol).toBeGreaterThanOrEqual(metrics.d_sol_lower - slack);
        expect(metrics.d_sol).toBeLessThanOrEqual(metrics.d_sol_upper + slack);
        expect(metrics.h_w).toBeGreaterThanOrEqual(metrics.h_w_lower - slack);
        expect(metrics.h_w).toBeLessThanOrEqual(metrics.h_w_upper + slack);
        for (const value of [metrics.tv, metrics.js, metrics.hellinger])
          expect(value).toBeLessThanOrEqual(1 + slack);
        expect(metrics.hellinger ** 2).toBeLessThanOrEqual(metrics.tv + slack);
        expect(
          Math.abs(Math.sqrt(metrics.h_q) - Math.sqrt(targetHeterogeneity(partition))),
        ).toBeLessThanOrEqual(metrics.eps_part_l2! + slack);
      }),
      { numRuns: 200 },
    );
  });
});

/** H_q of the drawn histograms under the realised weights: prop:app-finite compares the realised one with it. */
function targetHeterogeneity(partition: ReturnType<typeof partitionBins>): number {
  const sizes = countTable(partition).map((row) => row.reduce((a, b) => a + b, 0));
  const total = sizes.reduce((a, b) => a + b, 0);
  const mean = partition.target[0].map((_, bin) =>
    sizes.reduce((sum, size, client) => sum + (size / total) * partition.target[client][bin], 0),
  );
  return sizes.reduce(
    (sum, size, client) =>
      sum +
      (size / total) * partition.target[client].reduce((a, value, bin) => a + (value - mean[bin]) ** 2, 0),
    0,
  );
}
