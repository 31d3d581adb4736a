import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costMatrix } from "../../../src/numerics/cost-matrix.js";
import { transportDistance } from "../../../src/numerics/transport.js";
import { combination, dot, minus, norm } from "../../../src/numerics/vector.js";
import {
  expectedBinNoise,
  gradientBand,
  helmertBasis,
  mixtureGradient,
  physicalBand,
  restrictedSingularValues,
} from "../../../src/paper/theory/evidence/bin-gradients.js";
import { profileError } from "../../../src/paper/theory/profiles.js";
import { centred, weightedSpread } from "../../../src/paper/theory/weighted-centring.js";
import { shuffle } from "../../../src/random/permutation.js";
import { stream } from "../../../src/random/stream.js";
import { mixtures, shares } from "./arbitraries.js";

describe("bin gradients", () => {
  it("give mixtures the deviation G (q_k - q) (eq:app-gradient-identity)", () => {
    fc.assert(
      fc.property(mixtures(), ({ gradients, profiles, weights }) => {
        const clients = profiles.map((profile) => mixtureGradient(gradients, profile));
        const deviations = centred(profiles, weights);
        centred(clients, weights).forEach((deviation, k) => {
          expect(norm(minus(deviation, combination(gradients, deviations[k])))).toBeLessThan(1e-12);
        });
      }),
    );
  });

  it("keep H_g between m_g^2 H_q and M_g^2 H_q (eq:app-gradient-sandwich)", () => {
    fc.assert(
      fc.property(mixtures(), ({ gradients, profiles, weights }) => {
        const hQ = weightedSpread(profiles, weights);
        const hG = weightedSpread(
          profiles.map((profile) => mixtureGradient(gradients, profile)),
          weights,
        );
        const { lower, upper } = gradientBand(restrictedSingularValues(gradients), hQ);
        expect(hG).toBeGreaterThanOrEqual(lower - 1e-12);
        expect(hG).toBeLessThanOrEqual(upper + 1e-12);
      }),
    );
  });

  it("keep H_g within the band about H_W, whatever the costs of transport (eq:app-physical-gradient)", () => {
    fc.assert(
      fc.property(
        mixtures(),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (given, cMin, cMax) => {
          const { gradients, profiles, weights } = given;
          const bins = gradients.length;
          const between = cMin + (cMax - cMin) * ((bins * 0.37) % 1);
          const cost = costMatrix(
            Array.from({ length: bins * bins }, (_, at) => {
              const [b, c] = [Math.floor(at / bins), at % bins];
              return b === c ? 0 : b + c === 1 ? cMin : b + c === 2 * bins - 3 ? cMax : between;
            }),
            bins,
          );
          const mean = combination(profiles, weights);
          const hW = profiles.reduce(
            (sum, profile, k) => sum + weights[k] * transportDistance(profile, mean, cost) ** 2,
            0,
          );
          const hG = weightedSpread(
            profiles.map((profile) => mixtureGradient(gradients, profile)),
            weights,
          );
          const { lower, upper } = physicalBand(restrictedSingularValues(gradients), {
            bins,
            cMin: cost.smallest,
            cMax: cost.largest,
            hW,
          });
          expect(hG).toBeGreaterThanOrEqual(lower - 1e-10);
          expect(hG).toBeLessThanOrEqual(upper + 1e-10);
        },
      ),
    );
  });

  it("change H_g by no more than M_g times the error of profiles (eq:app-finite-Hg)", () => {
    fc.assert(
      fc.property(mixtures(), fc.nat(), ({ gradients, profiles, weights }, seed) => {
        const random = stream(seed, "realised");
        const realised = profiles.map(({ length }) => shares(random, length));
        const root = (of: readonly Float64Array[]) =>
          Math.sqrt(
            weightedSpread(
              of.map((profile) => mixtureGradient(gradients, profile)),
              weights,
            ),
          );
        const bound = restrictedSingularValues(gradients).largest * profileError(realised, profiles, weights);
        expect(Math.abs(root(realised) - root(profiles))).toBeLessThanOrEqual(bound + 1e-12);
      }),
    );
  });

  it("have singular values that count only differences of profiles", () => {
    const same = Float64Array.of(3, 1);
    expect(restrictedSingularValues([same, same, same]).largest).toBeLessThan(1e-12);
    const { smallest, largest } = restrictedSingularValues([Float64Array.of(1, 0), Float64Array.of(0, 0)]);
    expect(smallest).toBeCloseTo(Math.SQRT1_2, 14);
    expect(largest).toBeCloseTo(Math.SQRT1_2, 14);
  });

  it("are looked at in an orthonormal basis of the vectors that sum to zero", () => {
    for (const n of [2, 3, 10]) {
      const basis = helmertBasis(n);
      expect(basis).toHaveLength(n - 1);
      basis.forEach((v, i) => {
        expect(Math.abs(v.reduce((a, b) => a + b, 0))).toBeLessThan(1e-14);
        basis.forEach((u, j) => {
          expect(dot(u, v)).toBeCloseTo(i === j ? 1 : 0, 13);
        });
      });
    }
  });

  it("are missed by dealt clients by what drawing without replacement says", () => {
    const random = stream(3, "dealt");
    const bins = [0, 1].map((bin) => Array.from({ length: 9 }, () => bin + random.uniform() ** 2));
    const counts = [
      [5, 2],
      [3, 3],
      [1, 4],
    ];
    const means = bins.map((values) => values.reduce((a, b) => a + b, 0) / 9);
    const variances = bins.map((values, b) => values.reduce((sum, v) => sum + (v - means[b]) ** 2, 0) / 8);
    const draws = 20_000;
    let total = 0;
    for (let draw = 0; draw < draws; draw++) {
      const dealt = bins.map((values) => shuffle(random, [...values]));
      const start = [0, 0];
      for (const row of counts) {
        const size = row[0] + row[1];
        let deviation = 0;
        row.forEach((count, b) => {
          for (let i = 0; i < count; i++) deviation += (dealt[b][start[b]++] - means[b]) / size;
        });
        total += (size / 18) * deviation ** 2;
      }
    }
    expect(Math.abs(total / draws / expectedBinNoise(counts, variances) - 1)).toBeLessThan(0.03);
  });
});
