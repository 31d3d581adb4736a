import { describe, expect, it } from "vitest";
import {
  etdrk4Step,
  phiFunctions,
  stepError,
  stepFactors,
  stepWorkspace,
} from "../../src/numerics/etdrk4.js";

/** u' = -rate u + u^2 from 1/2: Bernoulli's equation, u = rate / (1 + (2 rate - 1) e^(rate t)). */
const RATES = Float64Array.of(0, 0.7, 3, 40);
const exact = (rate: number, t: number) =>
  rate === 0 ? 1 / (2 - t) : rate / (1 + (2 * rate - 1) * Math.exp(rate * t));
const square = (u: Float64Array, out: Float64Array) => out.set(u.map((value) => value * value));

/** State after `taken` of `steps` steps to t = 1, and the error estimate of the last of them. */
function integrate(steps: number, taken = steps): { u: Float64Array; estimate: number } {
  const size = RATES.length;
  const factors = stepFactors(
    RATES.map((rate) => -rate),
    1 / steps,
  );
  const work = stepWorkspace(size);
  const atU = new Float64Array(size);
  let u = new Float64Array(size).fill(0.5);
  let next = new Float64Array(size);
  square(u, atU);
  for (let step = 0; step < taken; step++) {
    etdrk4Step(square, factors, size, u, atU, next, work);
    [u, next] = [next, u];
    square(u, atU);
  }
  return { u, estimate: Math.sqrt(stepError(factors, size, atU, work)) };
}

describe("etdrk4", () => {
  it.each([0, 1, 2, 3])("is of fourth order in time for component %i, stiff or not", (i) => {
    const error = (steps: number) => Math.abs(integrate(steps).u[i] - exact(RATES[i], 1));
    const order = Math.log2(error(16) / error(32));
    expect(order).toBeGreaterThan(3.6);
    expect(order).toBeLessThan(4.6);
  });

  it("has an error estimate that is of fourth order in the step and above the error of the step", () => {
    const order = Math.log2(integrate(1024, 1).estimate / integrate(2048, 1).estimate);
    expect(order).toBeGreaterThan(3.8);
    expect(order).toBeLessThan(4.2);
    const { u, estimate } = integrate(512, 1);
    const error = Math.hypot(...u.map((value, i) => value - exact(RATES[i], 1 / 512)));
    expect(error).toBeLessThan(estimate);
    expect(error).toBeGreaterThan(0.001 * estimate);
  });

  it("is exact when the nonlinearity is a constant", () => {
    const factors = stepFactors(Float64Array.of(-1000), 0.5);
    const next = new Float64Array(1);
    const constant = (_: Float64Array, out: Float64Array) => out.fill(3);
    etdrk4Step(constant, factors, 1, Float64Array.of(2), Float64Array.of(3), next, stepWorkspace(1));
    expect(next[0]).toBeCloseTo(3 / 1000, 17);
  });
});

describe("the phi functions", () => {
  /** phi_k(z) = integral over [0, 1] of e^((1 - s) z) s^(k-1) / (k-1)!, by Simpson's rule. */
  function byQuadrature(z: number, k: number): number {
    const panels = 4000;
    let sum = 0;
    for (let i = 0; i <= panels; i++) {
      const s = i / panels;
      const weight = i === 0 || i === panels ? 1 : i % 2 === 1 ? 4 : 2;
      sum += weight * Math.exp((1 - s) * z) * s ** (k - 1);
    }
    return sum / (3 * panels) / (k === 3 ? 2 : 1);
  }

  it.each([0, -1e-9, -0.3, -0.999, -1, -1.001, -7, -50])("agree with their integrals at %d", (z) => {
    const [exponential, ...phi] = phiFunctions(z);
    expect(exponential).toBeCloseTo(Math.exp(z), 15);
    for (const [i, value] of phi.entries()) {
      expect(Math.abs(value / byQuadrature(z, i + 1) - 1)).toBeLessThan(2e-9);
    }
  });

  it("are continuous where the method changes", () => {
    const below = phiFunctions(-1);
    const above = phiFunctions(-1 + 2 ** -52);
    for (let i = 0; i < 4; i++) expect(Math.abs(above[i] - below[i])).toBeLessThan(1e-15);
  });
});
