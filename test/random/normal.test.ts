import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import { chiSquareScore, histogram, kolmogorovSmirnov } from "./goodness-of-fit.js";

/** Quantiles at 1/64, ..., 63/64 by SciPy: scripts/golden/random_quantiles.py. */
const golden: { readonly normal: readonly number[] } = JSON.parse(
  readFileSync(new URL("../golden/random-quantiles.json", import.meta.url), "utf8"),
);

describe("normal", () => {
  const random = stream(1, "normal");
  const draws = Float64Array.from({ length: 100_000 }, () => normal(random));

  it("has the first four moments of the standard normal distribution", () => {
    // Variances of the powers x, ..., x^4 about their means 0, 1, 0, 3.
    const expected = [0, 1, 0, 3];
    const variances = [1, 2, 15, 96];
    expected.forEach((value, power) => {
      const moment = draws.reduce((sum, x) => sum + x ** (power + 1), 0) / draws.length;
      expect(Math.abs(moment - value)).toBeLessThan(4 * Math.sqrt(variances[power] / draws.length));
    });
  });

  it("fills the cells between exact quantiles equally", () => {
    const counts = histogram(draws, golden.normal);
    expect(kolmogorovSmirnov(counts)).toBeLessThan(1.95);
    expect(chiSquareScore(counts)).toBeLessThan(4);
  });
});
