import { describe, expect, it } from "vitest";
import {
  correlationContrast,
  correlationInterval,
  jackknife,
} from "../../src/analysis/correlation-intervals.js";
import { meanInterval } from "../../src/analysis/statistics.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { sampleRecord } from "../records/sample-records.js";

const rank = { kind: "pearson", x: "d_sol", y: "h_g_norm" } as const;

/** Runs of some seeds: x of its own in every run, y = weight x + noise, with a shift that runs of a seed share. */
function runs(draw: number, seeds: number, weight: number, shared = 0): SeedRecord[] {
  const random = stream(draw, "correlation-intervals");
  return Array.from({ length: seeds }, (_, seed) => {
    const shift = shared * normal(random);
    return [10, 1, 0.1, 0.01].map((alpha) => {
      const d_sol = normal(random);
      const h_g_norm = weight * d_sol + normal(random) + shift;
      return { ...sampleRecord, seed, alpha, d_sol, h_g_norm, input_w1: normal(random) };
    });
  }).flat();
}

describe("the jackknife over seeds", () => {
  it("is Student's interval for a mean", () => {
    const some = [3, 1, 4, 1.5, 9].map((d_sol, seed) => ({ ...sampleRecord, seed, d_sol }));
    const mean = (rows: readonly SeedRecord[]) => rows.reduce((sum, row) => sum + row.d_sol, 0) / rows.length;
    const expected = meanInterval([3, 1, 4, 1.5, 9]);
    const found = jackknife(some, mean)!;
    expect(found.mean).toBeCloseTo(expected.mean, 12);
    expect(found.low).toBeCloseTo(expected.low, 12);
    expect(found.high).toBeCloseTo(expected.high, 12);
  });

  it("gives no interval for two seeds, nor where an estimate is missing", () => {
    expect(correlationInterval(runs(1, 2, 1), rank)).toMatchObject({ seeds: 2, low: null, high: null });
    expect(jackknife(runs(1, 4, 1), (rows) => (rows.length === 16 ? 1 : undefined))).toMatchObject({
      low: null,
    });
    expect(correlationInterval(runs(1, 1, 1).slice(0, 4), rank)).toBeUndefined();
  });

  it("covers the true correlation in about 95 of 100 cases, also where runs of a seed go together", () => {
    for (const shared of [0, 1]) {
      const truth = 1 / Math.sqrt(2 + shared ** 2);
      const covered = Array.from({ length: 300 }, (_, draw) => {
        const { low, high } = correlationInterval(runs(draw, 5, 1, shared), rank)!;
        return low! <= truth && truth <= high!;
      }).filter(Boolean).length;
      expect(covered / 300).toBeGreaterThan(0.9);
      expect(covered / 300).toBeLessThanOrEqual(0.99);
    }
  });
});

describe("a perfect correlation", () => {
  it("has an interval of no width", () => {
    const perfect = runs(5, 5, 1).map((row) => ({ ...row, h_g_norm: 2 * row.d_sol }));
    const { mean, low, high } = correlationInterval(perfect, rank)!;
    for (const value of [mean, low, high]) expect(value).toBeCloseTo(1, 5);
  });
});

describe("the contrast of two correlations", () => {
  it("changes its sign with their order", () => {
    const some = runs(7, 5, 1);
    const other = { ...rank, x: "input_w1" } as const;
    const there = correlationContrast(some, rank, other)!;
    const back = correlationContrast(some, other, rank)!;
    expect(there.mean).toBeCloseTo(-back.mean, 12);
    expect(there.low).toBeCloseTo(-back.high!, 12);
  });

  it("is beyond doubt where one of them is strong and the other none", () => {
    const contrast = correlationContrast(runs(3, 12, 3), rank, { ...rank, x: "input_w1" })!;
    expect(contrast.low).toBeGreaterThan(0);
  });
});
