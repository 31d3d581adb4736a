import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dot } from "../../src/numerics/conjugate-gradients.js";
import { matrixFunction } from "../../src/numerics/matrix-function.js";
import { symmetricEigen } from "../../src/numerics/symmetric-eigen.js";
import { positiveMatrix, product } from "./positive-matrix.js";

describe("a function of a matrix times a vector", () => {
  it("is what the eigenvectors of the matrix say", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 1e6 }), (n, seed) => {
        const matrix = positiveMatrix(n, seed);
        const v = Float64Array.from({ length: n }, (_, i) => Math.sin(i + 1));
        const found = matrixFunction(product(matrix, n), v, (x) => Math.exp(-x / 2), 1e-14);
        const { values, vectors } = symmetricEigen(matrix, n);
        const expected = new Float64Array(n);
        for (let m = 0; m < n; m++) {
          const q = vectors.subarray(m * n, (m + 1) * n);
          const weight = Math.exp(-values[m] / 2) * dot(q, v);
          for (let i = 0; i < n; i++) expected[i] += weight * q[i];
        }
        for (let i = 0; i < n; i++) expect(Math.abs(found[i] - expected[i])).toBeLessThan(1e-11);
      }),
    );
  });

  it("ends after one step at an eigenvector, and is zero for zero", () => {
    let steps = 0;
    const double = (v: Float64Array, out: Float64Array) => {
      steps++;
      out.set(v.map((value) => 2 * value));
    };
    expect([...matrixFunction(double, Float64Array.of(3, 4), (x) => x * x)]).toEqual([12, 16]);
    expect(steps).toBe(1);
    expect([...matrixFunction(double, new Float64Array(3), Math.exp)]).toEqual([0, 0, 0]);
  });
});
