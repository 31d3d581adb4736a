import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spectralEnds, spectralNorm } from "../../src/numerics/lanczos.js";
import { symmetricEigen } from "../../src/numerics/symmetric-eigen.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** A random symmetric matrix, and its products with vectors. */
function symmetric(n: number, seed: number) {
  const random = stream(seed, "matrix");
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = normal(random);
  const start = Float64Array.from({ length: n }, () => normal(random));
  const multiply = async (v: Float64Array) =>
    Float64Array.from({ length: n }, (_, i) =>
      v.reduce((sum, value, j) => sum + matrix[i * n + j] * value, 0),
    );
  return { matrix, start, multiply };
}

describe("Lanczos' method", () => {
  it("finds both ends of the spectrum when it may take as many steps as there are dimensions", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.nat(1000), async (n, seed) => {
        const { matrix, start, multiply } = symmetric(n, seed);
        const { values } = symmetricEigen(matrix, n);
        const { smallest, largest } = await spectralEnds(multiply, start, { steps: n, tolerance: 0 });
        expect(smallest).toBeCloseTo(Math.min(...values), 6);
        expect(largest).toBeCloseTo(Math.max(...values), 6);
      }),
      { numRuns: 50 },
    ));

  it("never leaves the spectrum, however few steps it takes", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat(1000), async (steps, seed) => {
        const { matrix, start, multiply } = symmetric(20, seed);
        const { values } = symmetricEigen(matrix, 20);
        const { smallest, largest } = await spectralEnds(multiply, start, { steps });
        expect(largest).toBeLessThanOrEqual(Math.max(...values) + 1e-10);
        expect(smallest).toBeGreaterThanOrEqual(Math.min(...values) - 1e-10);
      }),
      { numRuns: 50 },
    ));

  it("gives zero for the matrix of zeros", async () => {
    expect(await spectralNorm(async (v) => new Float64Array(v.length), Float64Array.of(1, 2, 3))).toBe(0);
  });
});
