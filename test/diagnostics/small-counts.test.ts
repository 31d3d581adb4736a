import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { dSolErrorBound, mergeErrorBound, mergeSmallCounts } from "../../src/diagnostics/small-counts.js";
import { DataError } from "../../src/errors.js";
import { centroidCosts } from "../../src/numerics/cost-matrix.js";
import { transportSolver } from "../../src/numerics/transport.js";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Bins in the plane, some of them at the same place, and counts of which many are small. */
const sites = fc
  .record({ bins: fc.integer({ min: 1, max: 8 }), clients: fc.integer({ min: 2, max: 5 }) })
  .chain(({ bins, clients }) =>
    fc.record({
      cost: fc
        .array(fc.integer({ min: 0, max: 6 }), { minLength: 2 * bins, maxLength: 2 * bins })
        .map((places) => centroidCosts(places, bins)),
      counts: fc.array(
        fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })), {
          minLength: bins,
          maxLength: bins,
        }),
        { minLength: clients, maxLength: clients },
      ),
      minimum: fc.integer({ min: 1, max: 9 }),
    }),
  )
  .filter(({ counts, minimum }) => counts.every((row) => Math.max(...row) >= minimum));

describe("counts below a minimum", () => {
  it("are counted in the nearest bin that has enough, the first among equals", () => {
    const line = centroidCosts([0, 1, 2, 3, 7], 5);
    const merged = mergeSmallCounts([9, 4, 9, 0, 2], line, 5);
    expect(merged).toEqual({
      counts: [13, 0, 11, 0, 0],
      countedIn: [0, 0, 2, 2, 2],
      moved: 6,
      distance: (4 * 1 + 2 * 5) / 24,
    });
  });

  it("never remain, and the sum of a site stays", () => {
    fc.assert(
      fc.property(sites, ({ cost, counts, minimum }) => {
        for (const row of counts) {
          const merged = mergeSmallCounts(row, cost, minimum);
          expect(sum(merged.counts)).toBe(sum(row));
          merged.counts.forEach((count, bin) => {
            if (row[bin] >= minimum) expect(count).toBeGreaterThanOrEqual(row[bin]);
            else expect(count).toBe(0);
          });
          expect(mergeSmallCounts(merged.counts, cost, minimum).counts).toEqual(merged.counts);
        }
      }),
    );
  });

  it("move a histogram by no more than the site is told, and that by no more than others can tell", () => {
    fc.assert(
      fc.property(sites, ({ cost, counts, minimum }) => {
        for (const row of counts) {
          const merged = mergeSmallCounts(row, cost, minimum);
          const moved = transportSolver(cost).distance(row, merged.counts);
          expect(moved).toBeLessThanOrEqual(merged.distance + 1e-12);
          const bound = mergeErrorBound(merged.counts, cost, { minimum, contributors: "samples" });
          expect(merged.distance).toBeLessThanOrEqual(bound + 1e-12);
        }
      }),
    );
  });

  it("change D_sol by no more than the bound", () => {
    fc.assert(
      fc.property(sites, ({ cost, counts, minimum }) => {
        const shared = counts.map((row) => mergeSmallCounts(row, cost, minimum).counts);
        const rule = { minimum, contributors: "samples" } as const;
        const bound = dSolErrorBound(
          shared.map((row) => ({ counts: row, rule })),
          cost,
        );
        const [exact, merged] = [counts, shared].map(
          (table) => diagnose({ counts: table, cost }).metrics.d_sol,
        );
        expect(Math.abs(exact - merged)).toBeLessThanOrEqual(bound + 1e-12);
        if (minimum === 1) expect([bound, shared]).toEqual([0, counts]);
      }),
    );
  });

  it("reach the bound where all samples of the farthest bins were merged", () => {
    const line = centroidCosts([0, 1, 3], 3);
    const { counts, distance } = mergeSmallCounts([20, 4, 4], line, 5);
    expect(counts).toEqual([28, 0, 0]);
    expect(mergeErrorBound(counts, line, { minimum: 5, contributors: "samples" })).toBe(distance);
    // A bin of 6 has room for one sample of others.
    expect(mergeErrorBound([6, 0, 0], line, { minimum: 5, contributors: "samples" })).toBe(3 / 6);
  });

  it("may be those of groups, whose samples no minimum limits", () => {
    const line = centroidCosts([0, 1, 3], 3);
    const { counts, distance } = mergeSmallCounts([20, 12, 9], line, 5, [6, 2, 5]);
    expect(counts).toEqual([32, 0, 9]);
    const bound = mergeErrorBound(counts, line, { minimum: 5, contributors: "groups" });
    expect(bound).toBe(27 / 41);
    expect(distance).toBeLessThan(bound);
  });

  it("are refused where no bin has enough", () => {
    const line = centroidCosts([0, 1], 2);
    expect(() => mergeSmallCounts([4, 3], line, 5)).toThrow(DataError);
    expect(() => mergeSmallCounts([4, 3], line, 5)).toThrow("no bin holds 5 samples: nothing can be shared");
    expect(() => mergeSmallCounts([40, 30], line, 5, [4, 4])).toThrow("no bin holds 5 groups of samples");
  });
});
