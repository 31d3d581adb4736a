import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { symmetricEigen } from "../../../src/numerics/symmetric-eigen.js";
import { combination, dot, minus, norm, plus } from "../../../src/numerics/vector.js";
import { dispersionVariance, noiseMoments } from "../../../src/paper/theory/batch-noise.js";
import { dispersionBound, noisyDispersion } from "../../../src/paper/theory/dispersion-bounds.js";
import { driftCoefficient, driftDirection } from "../../../src/paper/theory/drift-direction.js";
import {
  type QuadraticWitness,
  witnessDrift,
  witnessFormula,
  witnessMinimum,
  witnessRiskDifference,
} from "../../../src/paper/theory/quadratic-witness.js";
import { centred, weightedSpread } from "../../../src/paper/theory/weighted-centring.js";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";
import { mixtures, type RandomMixtures, shares, times } from "./arbitraries.js";

/** Clients with quadratic objectives F_k(x) = g_k x + x H_k x / 2, mixed from bins. */
function quadratics({ gradients, hessians, profiles }: RandomMixtures) {
  return profiles.map((profile) => ({
    gradient: combination(gradients, profile),
    hessian: combination(hessians, profile),
  }));
}

/** Displacement after gradient steps from zero. */
function descend(
  { gradient, hessian }: { gradient: Float64Array; hessian: Float64Array },
  rate: number,
  steps: number,
) {
  let x = new Float64Array(gradient.length) as Float64Array;
  for (let step = 0; step < steps; step++) x = plus(x, plus(gradient, times(hessian, x)), -rate);
  return x;
}

const mean = (clients: ReturnType<typeof quadratics>, weights: Float64Array) => ({
  gradient: combination(
    clients.map(({ gradient }) => gradient),
    weights,
  ),
  hessian: combination(
    clients.map(({ hessian }) => hessian),
    weights,
  ),
});

const drift = (given: RandomMixtures, rate: number, steps: number) => {
  const clients = quadratics(given);
  const federated = combination(
    clients.map((client) => descend(client, rate, steps)),
    given.weights,
  );
  return minus(federated, descend(mean(clients, given.weights), rate, steps));
};

const directionOf = (given: RandomMixtures) => {
  const clients = quadratics(given);
  return driftDirection(
    async (k, v) => times(clients[k].hessian, v),
    clients.map(({ gradient }) => gradient),
    given.weights,
  );
};

describe("the drift of quadratic clients", () => {
  it("is zero after one step", () => {
    fc.assert(
      fc.property(mixtures(), (given) => {
        expect(norm(drift(given, 0.1, 1))).toBeLessThan(1e-13);
      }),
    );
  });

  it("is exactly its leading term after two steps (eq:app-second-drift)", () =>
    fc.assert(
      fc.asyncProperty(mixtures(), async (given) => {
        const leading = (await directionOf(given)).map((value) => 0.01 * driftCoefficient(2) * value);
        expect(norm(minus(drift(given, 0.1, 2), leading))).toBeLessThan(1e-12);
      }),
    ));

  it("differs from it by the third order after more steps", () =>
    fc.assert(
      fc.asyncProperty(mixtures(), fc.integer({ min: 3, max: 6 }), async (given, steps) => {
        const direction = await directionOf(given);
        const rest = (rate: number) =>
          norm(plus(drift(given, rate, steps), direction, -rate * rate * driftCoefficient(steps)));
        const [coarse, fine] = [rest(1e-4), rest(5e-5)];
        if (coarse > 1e-12) expect(Math.log2(coarse / fine)).toBeCloseTo(3, 1);
      }),
    ));

  it("has a direction in which the mean Hessian drops out", () =>
    fc.assert(
      fc.asyncProperty(mixtures(), async (given) => {
        const clients = quadratics(given);
        const { hessian } = mean(clients, given.weights);
        const deviations = centred(
          clients.map(({ gradient }) => gradient),
          given.weights,
        );
        const whole = combination(
          clients.map((client, k) => times(minus(client.hessian, hessian), deviations[k])),
          given.weights,
        );
        expect(norm(minus(await directionOf(given), whole))).toBeLessThan(1e-11);
      }),
    ));
});

describe("the direction of drift", () => {
  it("is no longer than curvature and gradient heterogeneity allow (eq:app-drift-upper)", () =>
    fc.assert(
      fc.asyncProperty(mixtures(), async (given) => {
        const clients = quadratics(given);
        const { hessian } = mean(clients, given.weights);
        const hH = clients.reduce((sum, client, k) => {
          const { values } = symmetricEigen(minus(client.hessian, hessian), given.parameters);
          return sum + given.weights[k] * Math.max(...values.map(Math.abs)) ** 2;
        }, 0);
        const hG = weightedSpread(
          clients.map(({ gradient }) => gradient),
          given.weights,
        );
        expect(norm(await directionOf(given))).toBeLessThanOrEqual(Math.sqrt(hH * hG) + 1e-11);
      }),
    ));
});

describe("the dispersion of quadratic clients", () => {
  it("stays within R_E of eta E sqrt H_g (eq:app-local-bound)", () => {
    fc.assert(
      fc.property(mixtures(), fc.integer({ min: 1, max: 6 }), (given, steps) => {
        const rate = 0.05;
        const clients = quadratics(given);
        const gradients = clients.map(({ gradient }) => gradient);
        const dispersion = weightedSpread(
          clients.map((client) => descend(client, rate, steps)),
          given.weights,
        );
        const smoothness = Math.max(
          ...clients.flatMap(({ hessian }) =>
            [...symmetricEigen(hessian, given.parameters).values].map(Math.abs),
          ),
        );
        const gradientBound = Math.max(
          ...clients.flatMap((client) =>
            Array.from({ length: steps }, (_, e) =>
              norm(plus(client.gradient, times(client.hessian, descend(client, rate, e)))),
            ),
          ),
        );
        const bound = dispersionBound({ rate, steps, smoothness, gradientBound });
        const leading = rate * steps * Math.sqrt(weightedSpread(gradients, given.weights));
        expect(Math.abs(Math.sqrt(dispersion) - leading)).toBeLessThanOrEqual(bound * (1 + 1e-10) + 1e-13);
      }),
    );
  });

  it("is on average what noise adds, over all batches that there are, where gradients do not change", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 3 }), (seed, steps) => {
        const random = stream(seed, "batches");
        const clients = [2, 3].map((samples) => Array.from({ length: samples }, () => normal(random)));
        const weights = shares(random, 2);
        const rate = 0.1;
        const gradients = clients.map((samples) => samples.reduce((a, b) => a + b, 0) / samples.length);
        const variances = clients.map(
          (samples, k) => samples.reduce((sum, g) => sum + (g - gradients[k]) ** 2, 0) / samples.length,
        );
        const ends = clients.map((samples) => sumsOfDraws(samples, steps).map((sum) => -rate * sum));
        const all = ends[0].flatMap((x) =>
          ends[1].map((y) => weightedSpread([Float64Array.of(x), Float64Array.of(y)], weights)),
        );
        const hG = weightedSpread(
          gradients.map((g) => Float64Array.of(g)),
          weights,
        );
        const average = all.reduce((a, b) => a + b, 0) / all.length;
        expect(average).toBeCloseTo(noisyDispersion({ rate, steps, hG, weights, variances }), 13);
      }),
    );
  });

  it("varies over all batches that there are by as much as the moments of single gradients say", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom([1, 1], [2, 1], [1, 2], [3, 1]), (seed, [steps, batch]) => {
        const random = stream(seed, "batches");
        const all = Array.from({ length: 7 }, () => Float64Array.of(normal(random), normal(random) ** 2));
        const groups = [Int32Array.of(0, 3), Int32Array.of(1, 2, 6), Int32Array.of(4, 5)];
        const weights = shares(random, 3);
        const rate = 0.3;
        const moments = noiseMoments(
          all.flatMap((a) => all.map((b) => dot(a, b))),
          groups,
          weights,
        );
        const ends = groups.map((group) =>
          [0, 1]
            .reduce<number[][]>((sums, axis) => {
              const part = sumsOfDraws(
                [...group].map((i) => all[i][axis]),
                steps * batch,
              );
              return axis === 0 ? part.map((x) => [x]) : sums.map((sum, i) => [...sum, part[i]]);
            }, [])
            .map((sum) => Float64Array.from(sum, (value) => (-rate * value) / batch)),
        );
        const found = ends[0].flatMap((x) =>
          ends[1].flatMap((y) => ends[2].map((z) => weightedSpread([x, y, z], weights))),
        );
        const mean = found.reduce((a, b) => a + b, 0) / found.length;
        const variance = found.reduce((sum, d) => sum + (d - mean) ** 2, 0) / found.length;
        const expected = dispersionVariance(moments, { rate, steps, batch, weights });
        expect(Math.abs(variance / expected - 1)).toBeLessThan(1e-9);
      }),
      { numRuns: 40 },
    );
  });

  it("has no noise where a client has all the weight", () => {
    const options = { rate: 0.1, steps: 3, hG: 0, weights: [1], variances: [5] };
    expect(noisyDispersion(options)).toBe(0);
    expect(noisyDispersion({ ...options, weights: [0.5, 0.5], variances: [4, 4] })).toBeCloseTo(
      0.01 * 3 * 2,
      14,
    );
  });
});

/** Sums of every sequence of so many draws with replacement. */
function sumsOfDraws(values: readonly number[], draws: number): number[] {
  if (draws === 0) return [0];
  return sumsOfDraws(values, draws - 1).flatMap((sum) => values.map((value) => sum + value));
}

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const witnesses = fc
  .record({
    h1: number(0.1, 4),
    h2: number(0.1, 4),
    a1: number(-3, 3),
    a2: number(-3, 3),
    theta: number(-3, 3),
    raw: fc.array(fc.record({ weight: number(0.1, 1), share: number(0, 1) }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ h1, h2, a1, a2, theta, raw }): QuadraticWitness => {
    const total = raw.reduce((sum, { weight }) => sum + weight, 0);
    return {
      curvatures: [h1, h2],
      minima: [a1, a2],
      theta,
      rate: 0.1,
      weights: raw.map(({ weight }) => weight / total),
      shares: raw.map(({ share }) => share),
    };
  });

describe("the two-bin witness", () => {
  it("drifts by eta^2 Var(q) Delta h Delta g after two steps (eq:app-quadratic)", () => {
    fc.assert(
      fc.property(witnesses, (witness) => {
        expect(Math.abs(witnessDrift(witness) - witnessFormula(witness))).toBeLessThan(1e-14);
      }),
    );
  });

  it("does not drift after one step, or where bins have the same curvature", () => {
    fc.assert(
      fc.property(witnesses, (witness) => {
        expect(Math.abs(witnessDrift(witness, 1))).toBeLessThan(1e-14);
        const [h] = witness.curvatures;
        expect(Math.abs(witnessDrift({ ...witness, curvatures: [h, h] }))).toBeLessThan(1e-14);
      }),
    );
  });

  it("drifts up or down as curvature and gradient differ in the same or in opposite senses", () => {
    const witness: QuadraticWitness = {
      curvatures: [2, 1],
      minima: [-1, 1],
      theta: 0,
      rate: 0.1,
      weights: [0.5, 0.5],
      shares: [0, 1],
    };
    expect(witnessDrift(witness)).toBeCloseTo(0.01 * 0.25 * 1 * 3, 14);
    expect(witnessDrift({ ...witness, minima: [1, -1] })).toBeCloseTo(-0.01 * 0.25 * 1 * 3, 14);
  });

  it("is never better from the minimum of a strongly convex risk, and either better or worse elsewhere", () => {
    fc.assert(
      fc.property(witnesses, (witness) => {
        const start = witnessMinimum(witness);
        const [h1, h2] = witness.curvatures;
        const share = witness.shares.reduce((sum, q, k) => sum + witness.weights[k] * q, 0);
        const curvature = share * h1 + (1 - share) * h2;
        const resting = { ...witness, theta: start };
        expect(witnessRiskDifference(resting)).toBeCloseTo((curvature / 2) * witnessDrift(resting) ** 2, 13);
        expect(witnessRiskDifference(resting)).toBeGreaterThanOrEqual(-1e-13);
      }),
    );
    const witness: QuadraticWitness = {
      curvatures: [2, 1],
      minima: [-1, 1],
      theta: 1,
      rate: 0.1,
      weights: [0.5, 0.5],
      shares: [0, 1],
    };
    expect(witnessRiskDifference(witness)).toBeGreaterThan(1e-4);
    expect(witnessRiskDifference({ ...witness, theta: -0.8 })).toBeLessThan(-1e-4);
  });
});
