import { describe, expect, it } from "vitest";
import { drawChebyshev, evaluateChebyshev } from "../../src/equations/chebyshev-space.js";
import {
  DIFFUSION_REACTION_GRID,
  type DiffusionReactionOptions,
  diffusionReactionSolver,
} from "../../src/equations/diffusion-reaction.js";
import { stream } from "../../src/random/stream.js";

const WIDTH = DIFFUSION_REACTION_GRID.length;
const random = (i: number) => {
  const coefficients = drawChebyshev(stream(11, "diffusion-reaction-test", i));
  return (x: number) => evaluateChebyshev(coefficients, x);
};

/** Relative L2 distance of two responses at time slice t / 100. */
function distance(a: Float64Array, b: Float64Array, t: number): number {
  let error = 0;
  let norm = 0;
  for (let i = 0; i < WIDTH; i++) {
    error += (a[i * WIDTH + t] - b[i * WIDTH + t]) ** 2;
    norm += b[i * WIDTH + t] ** 2;
  }
  return Math.sqrt(error / norm);
}

/** The second-order scheme of the reference data: Crank-Nicolson, reaction linearised, n intervals in x and in t. */
function crankNicolson(source: (x: number) => number, n: number): Float64Array {
  const [k, rho, h] = [0.01, 0.01, 1 / n];
  const r = k / (2 * h * h);
  let u = new Float64Array(n + 1);
  for (let step = 0; step < n; step++) {
    const upper = new Float64Array(n + 1);
    const next = new Float64Array(n + 1);
    for (let i = 1; i < n; i++) {
      const diagonal = 1 / h + 2 * r - rho * u[i];
      const right = u[i] / h + r * (u[i - 1] - 2 * u[i] + u[i + 1]) + source(i * h);
      const pivot = diagonal - r * upper[i - 1];
      upper[i] = r / pivot;
      next[i] = (right + r * next[i - 1]) / pivot;
    }
    for (let i = n - 1; i > 0; i--) next[i] += upper[i] * next[i + 1];
    u = next;
  }
  return u;
}

describe("the diffusion-reaction solver", () => {
  it("without reaction has the exact amplitude of a sine at every time", () => {
    const response = diffusionReactionSolver({ reaction: 0 })((x) => Math.sin(Math.PI * x));
    expect(response[50 * WIDTH + 100]).toBeCloseTo(0.952236182847448, 13);
    const rate = 0.01 * Math.PI ** 2;
    for (const t of [1, 10, 50]) {
      const exact = (Math.sin(0.3 * Math.PI) * -Math.expm1((-rate * t) / 100)) / rate;
      expect(response[30 * WIDTH + t]).toBeCloseTo(exact, 13);
    }
  });

  it("has the golden values for a source of 1", () => {
    const response = diffusionReactionSolver()(() => 1);
    expect(response[25 * WIDTH + 100]).toBeCloseTo(0.980778083, 8);
    expect(response[50 * WIDTH + 100]).toBeCloseTo(1.003249515, 8);
    expect(response[75 * WIDTH + 100]).toBeCloseTo(0.980778083, 8);
  });

  it("far from walls follows 10 tan(t / 10)", () => {
    const response = diffusionReactionSolver({ diffusion: 0.0005 })(() => 1);
    expect(response[50 * WIDTH + 100]).toBeCloseTo(1.003346720854505, 9);
  });

  it("comes to rest at a manufactured steady state", () => {
    const [k, rho, amplitude] = [5, 2, 0.8];
    const steady = (x: number) => amplitude * Math.sin(Math.PI * x);
    const source = (x: number) => k * Math.PI ** 2 * steady(x) - rho * steady(x) ** 2;
    const response = diffusionReactionSolver({ diffusion: k, reaction: rho, size: 32 })(source);
    for (const [i, x] of DIFFUSION_REACTION_GRID.entries()) {
      expect(response[i * WIDTH + 100]).toBeCloseTo(steady(x), 12);
    }
  });

  it("is the limit of the second-order scheme that the reference data were made with", () => {
    const source = random(0);
    const response = diffusionReactionSolver()(source);
    const [coarse, fine] = [crankNicolson(source, 400), crankNicolson(source, 800)];
    for (const i of [5, 25, 50, 75, 95]) {
      const limit = fine[8 * i] + (fine[8 * i] - coarse[4 * i]) / 3;
      expect(Math.abs(response[i * WIDTH + 100] - limit)).toBeLessThan(2e-6);
    }
  });

  it("is within 1e-7 of a converged solution at every time slice of random inputs", () => {
    const solve = diffusionReactionSolver();
    const converged = diffusionReactionSolver({ size: 120, steps: 2 });
    for (let i = 0; i < 5; i++) {
      const [a, b] = [solve(random(i)), converged(random(i))];
      for (let t = 1; t < WIDTH; t++) expect(distance(a, b, t)).toBeLessThan(1e-7);
    }
  });

  it("converges faster than any fixed order in space", () => {
    const at = (size: number) => diffusionReactionSolver({ size })(random(2));
    const reference = at(96);
    const [e16, e32, e64] = [16, 32, 64].map((size) => distance(at(size), reference, 5));
    expect(Math.log2(e16 / e32)).toBeGreaterThan(4);
    expect(Math.log2(e32 / e64)).toBeGreaterThan(10);
  });

  it("is of fourth order in time where the reaction is strong", () => {
    const options: DiffusionReactionOptions = { reaction: 8, diffusion: 0.02, size: 24 };
    const at = (steps: number) => diffusionReactionSolver({ ...options, steps })((x) => x * (1 - x));
    const reference = at(16);
    const order = Math.log2(distance(at(1), reference, 100) / distance(at(2), reference, 100));
    expect(order).toBeGreaterThan(3.7);
    expect(order).toBeLessThan(4.5);
  });

  it("is zero at t = 0 and on both walls", () => {
    const response = diffusionReactionSolver()(random(3));
    for (let j = 0; j < WIDTH; j++) {
      expect([response[j * WIDTH], response[j], response[100 * WIDTH + j]]).toEqual([0, 0, 0]);
    }
  });
});
