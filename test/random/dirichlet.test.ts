import { describe, expect, it } from "vitest";
import { exp } from "../../src/numerics/elementary.js";
import { dirichlet, logDirichlet, logNormalise } from "../../src/random/dirichlet.js";
import { stream } from "../../src/random/stream.js";

const components = (count: number, ...name: (string | number)[]) =>
  Array.from({ length: count }, (_, k) => stream(1, ...name, k));
const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

/** The mean of a sample and the standard error of that mean. */
function estimate(values: readonly number[]): { mean: number; error: number } {
  const mean = sum(values) / values.length;
  return { mean, error: Math.sqrt(sum(values.map((x) => (x - mean) ** 2))) / values.length };
}

describe("dirichlet", () => {
  it.each([0.01, 0.1, 1, 10, 1000])("has the moments of lem:app-dirichlet-moments at alpha %d", (alpha) => {
    const K = 5;
    const streams = components(K, "moments", alpha);
    const draws = Array.from({ length: 20_000 }, () => dirichlet(streams, alpha));
    const scale = 1 / (K * K * (K * alpha + 1));
    const checks: [expected: number, sample: number[]][] = [
      [1 / K, draws.map((r) => r[0])],
      [(K - 1) * scale, draws.map((r) => (r[1] - 1 / K) ** 2)],
      [-scale, draws.map((r) => (r[2] - 1 / K) * (r[3] - 1 / K))],
      [2 * K * scale, draws.map((r) => (r[4] - r[0]) ** 2)],
    ];
    for (const [expected, sample] of checks) {
      const { mean, error } = estimate(sample);
      expect(Math.abs(mean - expected)).toBeLessThan(4 * error);
    }
  });

  it.each([1e-4, 1e-3, 1, 1e3, 1e6])(
    "sums to 1 without a NaN for two to two hundred components at alpha %d",
    (alpha) => {
      for (const count of [2, 10, 200]) {
        const streams = components(count, "extremes", alpha, count);
        for (let repeat = 0; repeat < 20; repeat++) {
          const draw = dirichlet(streams, alpha);
          expect(draw.every((x) => x >= 0 && x <= 1 + 1e-14)).toBe(true);
          expect(Math.abs(sum(draw) - 1)).toBeLessThan(1e-13);
        }
      }
    },
  );

  it("keeps in logarithms what is too small for a number", () => {
    const logs = logDirichlet(components(50, "tiny"), 1e-4);
    expect(logs.every(Number.isFinite)).toBe(true);
    expect(logs.filter((x) => x < -745).length).toBeGreaterThan(40);
    expect(dirichlet(components(50, "tiny"), 1e-4)).toEqual(logs.map(exp));
  });

  it("gives a component the same gamma draw whatever the other components are", () => {
    const few = logDirichlet(components(3, "own stream"), 0.5);
    const many = logDirichlet(components(9, "own stream"), 0.5);
    expect(few[0] - few[2]).toBeCloseTo(many[0] - many[2], 12);
  });
});

describe("normalising logarithms of weights", () => {
  it("works far outside the range of numbers and does not mind a weight of zero", () => {
    const halves = logNormalise(Float64Array.of(-5000, -5000)).map(exp);
    for (const half of halves) expect(Math.abs(half - 0.5)).toBeLessThan(2e-16);
    expect(logNormalise(Float64Array.of(9000, -Infinity)).map(exp)).toEqual(Float64Array.of(1, 0));
  });
});
