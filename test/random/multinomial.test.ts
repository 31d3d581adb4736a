import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { multinomial } from "../../src/random/multinomial.js";
import { stream } from "../../src/random/stream.js";

describe("multinomial", () => {
  it("has the means, variances and covariances of its distribution", () => {
    const proportions = Float64Array.of(0.5, 0.2, 0, 0.29, 0.01);
    const trials = 40;
    const repeats = 20_000;
    const random = stream(1, "multinomial");
    const draws = Array.from({ length: repeats }, () => multinomial(random, trials, proportions));
    const centred = (draw: Int32Array, k: number) => draw[k] - trials * proportions[k];
    proportions.forEach((p, k) => {
      const mean = draws.reduce((total, draw) => total + centred(draw, k), 0) / repeats;
      expect(Math.abs(mean)).toBeLessThanOrEqual(4 * Math.sqrt((trials * p * (1 - p)) / repeats));
      proportions.forEach((q, l) => {
        const expected = trials * (k === l ? p * (1 - p) : -p * q);
        const products = draws.map((draw) => centred(draw, k) * centred(draw, l));
        const found = products.reduce((a, b) => a + b, 0) / repeats;
        const variance = products.reduce((total, x) => total + (x - found) ** 2, 0) / repeats;
        expect(Math.abs(found - expected)).toBeLessThanOrEqual(4.5 * Math.sqrt(variance / repeats));
      });
    });
  });

  it("spends every trial, and none on a proportion of zero", () => {
    const weight = fc.oneof(fc.constant(0), fc.constant(1e-300), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        fc.array(weight, { minLength: 1, maxLength: 8 }),
        fc.nat(200),
        fc.nat(),
        (weights, trials, seed) => {
          const total = weights.reduce((a, b) => a + b, 0);
          fc.pre(total > 0);
          const proportions = Float64Array.from(weights, (w) => w / total);
          const counts = multinomial(stream(seed, "trials"), trials, proportions);
          expect(counts.reduce((a, b) => a + b, 0)).toBe(trials);
          proportions.forEach((p, k) => {
            if (p === 0) expect(counts[k]).toBe(0);
          });
        },
      ),
    );
  });

  it("gives nothing for no trials and everything to a sure outcome", () => {
    expect(multinomial(stream(1), 0, Float64Array.of(0.5, 0.5))).toEqual(Int32Array.of(0, 0));
    expect(multinomial(stream(1), 9, Float64Array.of(0, 1, 0))).toEqual(Int32Array.of(0, 9, 0));
  });
});
