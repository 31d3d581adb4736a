import { describe, expect, it } from "vitest";
import { etdrk4Step, stepFactors, stepWorkspace } from "../../src/numerics/etdrk4.js";
import { gaussLegendre, legendrePolynomials } from "../../src/numerics/gauss-legendre.js";
import { dirichletBasis } from "../../src/numerics/legendre-galerkin.js";
import { symmetricEigen } from "../../src/numerics/symmetric-eigen.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

describe("Gauss-Legendre quadrature", () => {
  it("has the tabulated nodes and weights for five points", () => {
    const { nodes, weights } = gaussLegendre(5);
    expect(nodes[4]).toBeCloseTo(0.906179845938664, 14);
    expect(nodes[3]).toBeCloseTo(0.538469310105683, 14);
    expect(nodes[2]).toBeCloseTo(0, 14);
    expect(weights[4]).toBeCloseTo(0.236926885056189, 14);
    expect(weights[2]).toBeCloseTo(0.568888888888889, 14);
  });

  it.each([1, 2, 7, 16, 110])("with %i points integrates every power up to its degree", (points) => {
    const { nodes, weights } = gaussLegendre(points);
    for (const power of [0, 1, points, 2 * points - 2, 2 * points - 1]) {
      const sum = nodes.reduce((total, node, i) => total + weights[i] * node ** power, 0);
      expect(sum).toBeCloseTo(power % 2 === 0 ? 2 / (power + 1) : 0, 13);
    }
  });
});

describe("Legendre polynomials", () => {
  it("have their closed forms", () => {
    const s = 0.3;
    const expected = [1, s, (3 * s * s - 1) / 2, (5 * s ** 3 - 3 * s) / 2];
    for (const [n, value] of legendrePolynomials(3, s).entries()) expect(value).toBeCloseTo(expected[n], 15);
  });
});

describe("the symmetric eigen-solver", () => {
  it("reproduces a random matrix from its orthonormal eigenvectors", () => {
    const n = 20;
    const random = stream(3, "matrix");
    const matrix = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = normal(random);
    const { values, vectors } = symmetricEigen(matrix, n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let product = 0;
        let inner = 0;
        for (let m = 0; m < n; m++) {
          product += values[m] * vectors[m * n + i] * vectors[m * n + j];
          inner += vectors[i * n + m] * vectors[j * n + m];
        }
        expect(product).toBeCloseTo(matrix[i * n + j], 12);
        expect(inner).toBeCloseTo(i === j ? 1 : 0, 13);
      }
    }
  });

  it("finds the eigenvalues 2 - 2 cos of the second-difference matrix", () => {
    const n = 12;
    const matrix = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      matrix[i * n + i] = 2;
      if (i > 0) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = -1;
    }
    const values = symmetricEigen(matrix, n).values.sort();
    for (let m = 0; m < n; m++) {
      expect(values[m]).toBeCloseTo(2 - 2 * Math.cos((Math.PI * (m + 1)) / (n + 1)), 13);
    }
  });
});

describe("the Dirichlet basis", () => {
  it("is orthonormal, vanishes at the ends and keeps even and odd apart", () => {
    const basis = dirichletBasis(24);
    const { size, nodes, weights } = basis;
    const psi = basis.at(nodes);
    for (let m = 0; m < size; m++) {
      for (let n = 0; n < size; n++) {
        const inner = nodes.reduce(
          (sum, _, i) => sum + weights[i] * psi[i * size + m] * psi[i * size + n],
          0,
        );
        expect(inner).toBeCloseTo(m === n ? 1 : 0, 12);
      }
    }
    expect(Math.max(...basis.at(Float64Array.of(0, 1)).map(Math.abs))).toBeLessThan(1e-10);
    const mirrored = basis.at(Float64Array.of(0.2, 0.8));
    for (let m = 0; m < size; m++) {
      expect(mirrored[size + m]).toBeCloseTo(m % 2 === 0 ? mirrored[m] : -mirrored[m], 12);
    }
  });

  it("has the eigenvalues (n pi)^2 of the second derivative among its stiffnesses", () => {
    const stiffness = dirichletBasis(40).stiffness.sort();
    for (let n = 1; n <= 15; n++) expect(stiffness[n - 1] / (n * Math.PI) ** 2).toBeCloseTo(1, 9);
  });

  it("reproduces the manufactured solution t x (1 - x) of a diffusion-reaction equation with moving source", () => {
    const [k, rho] = [0.01, 0.01];
    const source = (x: number, t: number) => x * (1 - x) + 2 * k * t - rho * (t * x * (1 - x)) ** 2;
    const { size, nodes, weights, stiffness, at } = dirichletBasis(10);
    const psi = at(nodes);
    // The last component is the time itself: t' = 1.
    const linear = Float64Array.of(...stiffness.map((value) => -k * value), 0);
    const nonlinearity = (u: Float64Array, out: Float64Array) => {
      out.fill(0);
      out[size] = 1;
      nodes.forEach((x, i) => {
        let value = 0;
        for (let m = 0; m < size; m++) value += u[m] * psi[i * size + m];
        const right = weights[i] * (rho * value * value + source(x, u[size]));
        for (let m = 0; m < size; m++) out[m] += right * psi[i * size + m];
      });
    };
    const factors = stepFactors(linear, 0.05);
    const work = stepWorkspace(size + 1);
    let u = new Float64Array(size + 1);
    let next = new Float64Array(size + 1);
    const atU = new Float64Array(size + 1);
    for (let step = 0; step < 20; step++) {
      nonlinearity(u, atU);
      etdrk4Step(nonlinearity, factors, size + 1, u, atU, next, work);
      [u, next] = [next, u];
    }
    const points = Float64Array.of(0.1, 0.25, 0.5, 0.9);
    const values = at(points);
    points.forEach((x, i) => {
      let value = 0;
      for (let m = 0; m < size; m++) value += u[m] * values[i * size + m];
      expect(value).toBeCloseTo(x * (1 - x), 11);
    });
  });
});
