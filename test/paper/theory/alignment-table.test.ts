import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combination, minus, norm } from "../../../src/numerics/vector.js";
import {
  alignmentTable,
  mixtureDirection,
  mixtureDrift,
  outer,
  profileCovariance,
  worstContrast,
} from "../../../src/paper/theory/alignment-table.js";
import { driftDirection } from "../../../src/paper/theory/drift-direction.js";
import { weightedSpread } from "../../../src/paper/theory/weighted-centring.js";
import { stream } from "../../../src/random/stream.js";
import { mixtures, type RandomMixtures, times } from "./arbitraries.js";

const tableOf = ({ gradients, hessians }: RandomMixtures) =>
  alignmentTable(hessians.flatMap((hessian) => gradients.map((gradient) => times(hessian, gradient))));

describe("the table of Hessians times gradients", () => {
  it("gives the drift's direction of any mixtures from the covariance of their profiles", () =>
    fc.assert(
      fc.asyncProperty(mixtures(), async (given) => {
        const { gradients, hessians, profiles, weights } = given;
        const expected = await driftDirection(
          async (k, v) => times(combination(hessians, profiles[k]), v),
          profiles.map((profile) => combination(gradients, profile)),
          weights,
        );
        const table = tableOf(given);
        const covariance = profileCovariance(profiles, weights);
        expect(norm(minus(mixtureDirection(table, covariance), expected))).toBeLessThan(1e-11);
        expect(mixtureDrift(table, covariance)).toBeCloseTo(norm(expected), 6);
      }),
    ));

  it("has H_q as the trace of the covariance", () => {
    fc.assert(
      fc.property(mixtures(), ({ profiles, weights }) => {
        const covariance = profileCovariance(profiles, weights);
        const bins = profiles[0].length;
        const trace = profiles[0].reduce((sum, _, b) => sum + covariance[b * bins + b], 0);
        expect(trace).toBeCloseTo(weightedSpread(profiles, weights), 13);
      }),
    );
  });

  it("knows two clients that drift less than any of many random ones", () => {
    fc.assert(
      fc.property(mixtures(), (given) => {
        const table = tableOf(given);
        const random = stream(1, "contrasts");
        const worst = worstContrast(table, () => random.uniform());
        expect(norm(worst.contrast)).toBeCloseTo(1, 12);
        expect(Math.abs(worst.contrast.reduce((a, b) => a + b, 0))).toBeLessThan(1e-12);
        expect(mixtureDrift(table, outer(worst.contrast))).toBeCloseTo(worst.ratio, 12);
        for (let draw = 0; draw < 50; draw++) {
          const raw = worst.contrast.map(() => random.uniform());
          const mean = raw.reduce((a, b) => a + b, 0) / raw.length;
          const d = raw.map((value) => value - mean);
          expect(worst.ratio).toBeLessThanOrEqual(mixtureDrift(table, outer(d)) / norm(d) ** 2 + 1e-9);
        }
      }),
      { numRuns: 15 },
    );
  });
});
