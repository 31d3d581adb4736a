import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { logGamma } from "../../src/random/gamma.js";
import { stream } from "../../src/random/stream.js";
import { chiSquareScore, histogram, kolmogorovSmirnov } from "./goodness-of-fit.js";

/** Quantiles of log Gamma(shape, 1) at 1/64, ..., 63/64 by SciPy: scripts/golden/random_quantiles.py. */
const golden: { readonly logGamma: readonly (readonly [number, readonly number[]])[] } = JSON.parse(
  readFileSync(new URL("../golden/random-quantiles.json", import.meta.url), "utf8"),
);

describe("the logarithm of a gamma draw", () => {
  it.each(golden.logGamma)(
    "fills the cells between exact quantiles equally at shape %d",
    (shape, quantiles) => {
      const random = stream(1, "gamma", shape);
      const draws = Float64Array.from({ length: 50_000 }, () => logGamma(random, shape));
      expect(draws.every(Number.isFinite)).toBe(true);
      const counts = histogram(draws, quantiles);
      expect(kolmogorovSmirnov(counts)).toBeLessThan(1.95);
      expect(chiSquareScore(counts)).toBeLessThan(4);
    },
  );
});
