import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedHeterogeneity, heterogeneityVariance } from "../../../src/diagnostics/concentration-law.js";
import { exp } from "../../../src/numerics/elementary.js";
import { dirichletMoment, dirichletMoments } from "../../../src/paper/theory/dirichlet-moments.js";
import { equalWeights } from "../../../src/paper/theory/profiles.js";
import { weightedSpread } from "../../../src/paper/theory/weighted-centring.js";
import { logDirichlet } from "../../../src/random/dirichlet.js";
import { stream } from "../../../src/random/stream.js";

const clients = fc.integer({ min: 2, max: 200 });
const alpha = fc.double({ min: -4, max: 4, noNaN: true }).map((power) => 10 ** power);

describe("moments of a symmetric Dirichlet vector", () => {
  it("add up as powers of a sum that is always 1", () => {
    fc.assert(
      fc.property(clients, alpha, (K, a) => {
        const moment = (m: number, n = 0) => dirichletMoment(K, a, m, n);
        expect(K * moment(1)).toBeCloseTo(1, 12);
        expect(K * moment(2) + K * (K - 1) * moment(1, 1)).toBeCloseTo(1, 12);
        // R_1 (sum_k R_k) = R_1, for the third and fourth order
        expect(moment(3) + (K - 1) * moment(2, 1)).toBeCloseTo(moment(2), 12);
        expect(moment(4) + (K - 1) * moment(3, 1)).toBeCloseTo(moment(3), 12);
      }),
    );
  });

  it("give the lemma's variance, covariance and pair difference", () => {
    fc.assert(
      fc.property(clients, fc.double({ min: 1e-3, max: 10, noNaN: true }), (K, a) => {
        const [mean, variance, covariance, pair] = dirichletMoments(K, a).map(({ expected }) => expected);
        const relative = (found: number, wanted: number) =>
          expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-9 * Math.abs(wanted));
        relative(dirichletMoment(K, a, 1), mean);
        relative(dirichletMoment(K, a, 2) - mean * mean, variance);
        relative(dirichletMoment(K, a, 1, 1) - mean * mean, covariance);
        relative(2 * variance - 2 * covariance, pair);
      }),
    );
  });

  it("say how much the sum of squares varies, as the closed form does", () => {
    fc.assert(
      fc.property(clients, fc.double({ min: 1e-3, max: 10, noNaN: true }), (K, a) => {
        const square = K * dirichletMoment(K, a, 4) + K * (K - 1) * dirichletMoment(K, a, 2, 2);
        const mean = K * dirichletMoment(K, a, 2);
        const wanted = K * K * (square - mean * mean);
        expect(Math.abs(heterogeneityVariance(K, a, [1]) - wanted)).toBeLessThanOrEqual(
          1e-9 * K * K * square,
        );
      }),
    );
  });
});

const MASSES = [0.4, 0.25, 0.2, 0.1, 0.05];

describe.each([
  [2, 0.01],
  [3, 0.5],
  [10, 0.1],
  [10, 100],
  [40, 0.02],
])("draws for %i clients at alpha %f", (K, a) => {
  const components = new Array(K).fill(stream(11, "moments", K, a));
  const draws = Math.ceil(20_000 / K);
  const laws = dirichletMoments(K, a);
  const sums = laws.map(() => 0);
  const squares = laws.map(() => 0);
  const heterogeneities: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const shares = MASSES.map(() => logDirichlet(components, a).map(exp));
    for (const share of shares) {
      laws.forEach(({ statistic }, i) => {
        const value = statistic(share[0], share[1]);
        sums[i] += value;
        squares[i] += value * value;
      });
    }
    const raw = Array.from({ length: K }, (_, k) => MASSES.map((mass, b) => K * mass * shares[b][k]));
    heterogeneities.push(weightedSpread(raw, equalWeights(K)));
  }
  const all = draws * MASSES.length;

  it("have the lemma's moments within four exact standard errors, which are the ones that draws show", () => {
    laws.forEach(({ expected, variance }, i) => {
      expect(Math.abs(sums[i] / all - expected)).toBeLessThan(4 * Math.sqrt(variance / all));
      const shown = squares[i] / all - (sums[i] / all) ** 2;
      expect(shown / variance).toBeGreaterThan(0.6);
      expect(shown / variance).toBeLessThan(1.6);
    });
  });

  it("have the law's H_u within four exact standard errors, which are the ones that draws show", () => {
    const mean = heterogeneities.reduce((x, y) => x + y, 0) / draws;
    const variance = heterogeneityVariance(K, a, MASSES);
    expect(Math.abs(mean - expectedHeterogeneity(K, a, MASSES))).toBeLessThan(
      4 * Math.sqrt(variance / draws),
    );
    const shown = heterogeneities.reduce((sum, h) => sum + (h - mean) ** 2, 0) / (draws - 1);
    expect(shown / variance).toBeGreaterThan(0.7);
    expect(shown / variance).toBeLessThan(1.4);
  });
});
