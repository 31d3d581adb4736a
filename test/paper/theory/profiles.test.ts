import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocationHeterogeneity } from "../../../src/diagnostics/concentration-law.js";
import { squaredDistance } from "../../../src/diagnostics/divergences.js";
import { exp, log } from "../../../src/numerics/elementary.js";
import { combination } from "../../../src/numerics/vector.js";
import {
  drawnProfiles,
  equalWeights,
  histogramsOf,
  massDeviation,
  profileError,
} from "../../../src/paper/theory/profiles.js";
import { weightedSpread } from "../../../src/paper/theory/weighted-centring.js";
import { logDirichlet } from "../../../src/random/dirichlet.js";
import { stream } from "../../../src/random/stream.js";

const ROUND_OFF = 1e-12;
const mass = fc.double({ min: 1e-6, max: 1, noNaN: true });
const histogram = (bins: number) =>
  fc.array(mass, { minLength: bins, maxLength: bins }).map((values) => {
    const total = values.reduce((a, b) => a + b, 0);
    return values.map((value) => value / total);
  });

/** Clients with weights and two lists of histograms. */
const clients = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([count, bins]) =>
    fc.record({
      weights: histogram(count),
      first: fc.array(histogram(bins), { minLength: count, maxLength: count }),
      second: fc.array(histogram(bins), { minLength: count, maxLength: count }),
    }),
  );

const draw = fc
  .record({
    seed: fc.nat(1e6),
    count: fc.integer({ min: 2, max: 30 }),
    masses: fc.integer({ min: 1, max: 8 }).chain(histogram),
    alpha: fc.double({ min: -3, max: 3, noNaN: true }).map((power) => 10 ** power),
  })
  .map(({ seed, count, masses, alpha }) => {
    const components = new Array(count).fill(stream(seed, "draw"));
    return { count, masses, logShares: masses.map(() => logDirichlet(components, alpha)) };
  });

describe("heterogeneity of profiles", () => {
  it("is the mean square less the square of the mean, and zero for equal clients", () => {
    fc.assert(
      fc.property(clients, ({ weights, first }) => {
        const origin = new Float64Array(first[0].length);
        const square = first.reduce((sum, q, k) => sum + weights[k] * squaredDistance(q, origin), 0);
        const centre = squaredDistance(combination(first, weights), origin);
        expect(weightedSpread(first, weights)).toBeCloseTo(square - centre, 12);
        expect(
          weightedSpread(
            first.map(() => first[0]),
            weights,
          ),
        ).toBeLessThan(1e-28);
      }),
    );
  });

  it("differs between two lists, in its square root, by no more than their distance (prop:app-finite)", () => {
    fc.assert(
      fc.property(clients, ({ weights, first, second }) => {
        const roots = [first, second].map((profiles) => Math.sqrt(weightedSpread(profiles, weights)));
        const bound = profileError(first, second, weights);
        expect(Math.abs(roots[0] - roots[1])).toBeLessThanOrEqual(bound + ROUND_OFF);
      }),
    );
  });

  it("needs the same weights on both sides: with others the bound can break", () => {
    const profiles = [
      [1, 0],
      [0, 1],
    ];
    const [even, uneven] = [
      [0.5, 0.5],
      [0.99, 0.01],
    ].map((weights) => Math.sqrt(weightedSpread(profiles, weights)));
    expect(even - uneven).toBeGreaterThan(profileError(profiles, profiles, [0.5, 0.5]));
  });
});

describe("profiles of a draw", () => {
  it("average to the bin masses, have masses that average to 1, and H_u as the concentration law has it", () => {
    fc.assert(
      fc.property(draw, ({ count, masses, logShares }) => {
        const { raw, mass: clientMasses } = drawnProfiles(logShares, masses);
        const mean = combination(raw, equalWeights(count));
        for (const [b, wanted] of masses.entries()) expect(mean[b]).toBeCloseTo(wanted, 12);
        expect(clientMasses.reduce((a, b) => a + b, 0) / count).toBeCloseTo(1, 12);
        const shares = Array.from({ length: count }, (_, k) => logShares.map((share) => exp(share[k])));
        const direct = allocationHeterogeneity(shares, masses);
        expect(weightedSpread(raw, equalWeights(count))).toBeCloseTo(direct, 10);
      }),
    );
  });

  it("change under normalisation by no more than the deviation of client masses (lem:app-normalization)", () => {
    fc.assert(
      fc.property(draw, ({ count, masses, logShares }) => {
        const { raw, mass: s, normalised } = drawnProfiles(logShares, masses);
        normalised.forEach((q, k) => {
          expect(q.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
          expect(Math.sqrt(squaredDistance(q, raw[k]))).toBeLessThanOrEqual(
            Math.abs(1 - s[k]) + ROUND_OFF * count,
          );
        });
        const roots = [normalised, raw].map((one) => Math.sqrt(weightedSpread(one, equalWeights(count))));
        const { largest, rms } = massDeviation(s);
        expect(rms).toBeLessThanOrEqual(largest * (1 + ROUND_OFF));
        expect(Math.abs(roots[0] - roots[1])).toBeLessThanOrEqual(rms + ROUND_OFF * count);
      }),
    );
  });

  it("stay histograms where a client's mass is below the smallest float64", () => {
    const logShares = [
      [0, -2000],
      [0, -2001],
    ];
    const { mass: s, normalised } = drawnProfiles(logShares, [0.5, 0.5]);
    expect(s[1]).toBe(0);
    expect(normalised[1][0] + normalised[1][1]).toBeCloseTo(1, 12);
    expect(log(normalised[1][0] / normalised[1][1])).toBeCloseTo(1, 10);
  });
});

describe("histograms of counts", () => {
  it("leave a client without samples at zero, with weight zero", () => {
    const { histograms, weights } = histogramsOf([
      [3, 1],
      [0, 0],
    ]);
    expect(Array.from(histograms[0])).toEqual([0.75, 0.25]);
    expect(Array.from(histograms[1])).toEqual([0, 0]);
    expect(Array.from(weights)).toEqual([1, 0]);
  });
});
