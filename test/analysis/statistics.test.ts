import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mean,
  meanInterval,
  pearson,
  ranks,
  spearman,
  standardDeviation,
} from "../../src/analysis/statistics.js";
import { DataError } from "../../src/errors.js";

interface Golden {
  readonly samples: readonly { values: number[]; mean: number; sd: number; interval: [number, number] }[];
  readonly pairs: readonly { x: number[]; y: number[]; pearson: number; spearman: number }[];
}

/** By SciPy: scripts/golden/sample_statistics.py. */
const golden: Golden = JSON.parse(
  readFileSync(new URL("../golden/sample-statistics.json", import.meta.url), "utf8"),
);
const relative = (value: number, expected: number) => Math.abs(value - expected) / Math.abs(expected);

describe("mean, standard deviation and interval", () => {
  it.each(golden.samples)("agree with SciPy on sample %#", ({ values, mean: expected, sd, interval }) => {
    expect(relative(mean(values), expected)).toBeLessThan(1e-14);
    expect(relative(standardDeviation(values), sd)).toBeLessThan(1e-12);
    const found = meanInterval(values);
    expect(found.mean).toBe(mean(values));
    expect(relative(found.low, interval[0])).toBeLessThan(1e-12);
    expect(relative(found.high, interval[1])).toBeLessThan(1e-12);
  });

  it("use the level that is asked for", () => {
    const { low, high } = meanInterval([0, 2], 0.5); // the median of |t| with one degree of freedom is 1
    expect(low).toBeCloseTo(0, 14);
    expect(high).toBeCloseTo(2, 14);
  });

  it("give an interval of no width for equal values", () => {
    expect(meanInterval([0.1, 0.1, 0.1])).toEqual({ mean: 0.1, low: 0.1, high: 0.1 });
  });

  it("refuse samples that are too small", () => {
    expect(() => mean([])).toThrow(DataError);
    expect(() => standardDeviation([1])).toThrow("2 values or more, not 1");
    expect(() => meanInterval([1])).toThrow(DataError);
  });
});

describe("correlations", () => {
  it.each(golden.pairs)("agree with SciPy on pair %#", (pair) => {
    expect(Math.abs(pearson(pair.x, pair.y) - pair.pearson)).toBeLessThan(1e-12);
    expect(Math.abs(spearman(pair.x, pair.y) - pair.spearman)).toBeLessThan(1e-12);
  });

  it("lie in [-1, 1], are symmetric, and are 1 of a variable with itself", () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const sample = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(sample, (pairs) => {
        const x = pairs.map(([first]) => first);
        const y = pairs.map(([, second]) => second);
        for (const correlation of [pearson, spearman]) {
          const found = correlation(x, y);
          if (Number.isNaN(found)) continue;
          expect(Math.abs(found)).toBeLessThanOrEqual(1);
          expect(correlation(y, x)).toBeCloseTo(found, 14);
          expect(correlation(x, x)).toBeCloseTo(1, 14);
        }
      }),
    );
  });

  it("are not a number when one variable does not vary", () => {
    expect(pearson([1, 1, 1], [1, 2, 3])).toBeNaN();
    expect(spearman([1, 2, 3], [0.1, 0.1, 0.1])).toBeNaN();
  });

  it("refuse variables of different length, single pairs and unrankable values", () => {
    expect(() => pearson([1, 2], [1, 2, 3])).toThrow(DataError);
    expect(() => spearman([1], [1])).toThrow("2 pairs or more, not 1");
    expect(() => spearman([1, NaN], [1, 2])).toThrow("value 1 of a ranking is NaN");
  });

  it("give tied values the mean of their ranks", () => {
    expect(Array.from(ranks([3, 1, 3, 2, 3]))).toEqual([4, 1, 4, 2, 4]);
  });
});
