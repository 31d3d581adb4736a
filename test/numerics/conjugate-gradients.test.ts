import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conjugateGradients, dot } from "../../src/numerics/conjugate-gradients.js";
import { positiveMatrix, product } from "./positive-matrix.js";

const copy = (v: Float64Array, out: Float64Array) => out.set(v);

describe("conjugate gradients", () => {
  it("solve a random positive definite system to the tolerance", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 1e6 }), (n, seed) => {
        const apply = product(positiveMatrix(n, seed), n);
        const b = Float64Array.from({ length: n }, (_, i) => i + 1);
        const { solution, iterations } = conjugateGradients(apply, copy, b);
        const back = new Float64Array(n);
        apply(solution, back);
        const rest = back.map((value, i) => value - b[i]);
        expect(Math.sqrt(dot(rest, rest) / dot(b, b))).toBeLessThan(1e-9);
        expect(iterations).toBeLessThanOrEqual(4 * n);
      }),
    );
  });

  it("take one iteration with the exact inverse and none for zero", () => {
    const diagonal = Float64Array.of(1, 10, 100, 1000);
    const apply = (v: Float64Array, out: Float64Array) => out.set(v.map((value, i) => value * diagonal[i]));
    const invert = (v: Float64Array, out: Float64Array) => out.set(v.map((value, i) => value / diagonal[i]));
    expect(conjugateGradients(apply, invert, Float64Array.of(1, 2, 3, 4)).iterations).toBe(1);
    expect(conjugateGradients(apply, copy, Float64Array.of(1, 2, 3, 4)).iterations).toBe(4);
    expect(conjugateGradients(apply, copy, new Float64Array(4)).iterations).toBe(0);
  });

  it("say so when they do not converge", () => {
    const apply = product(positiveMatrix(10, 1), 10);
    expect(() => conjugateGradients(apply, copy, new Float64Array(10).fill(1), { limit: 2 })).toThrow(
      "not converged after 2 iterations",
    );
  });
});
