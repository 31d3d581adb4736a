import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANTIDERIVATIVE_GRID, solveAntiderivative } from "../../src/equations/antiderivative.js";
import {
  drawChebyshev,
  evaluateChebyshev,
  fourierCoefficients,
  integrateChebyshev,
  unitGrid,
} from "../../src/equations/chebyshev-space.js";
import { gaussLegendre } from "../../src/numerics/gauss-legendre.js";
import { stream } from "../../src/random/stream.js";

const GOLDEN = Float64Array.of(0.3, -0.5, 0.2, 0.7, -0.4, 0.1, 0.6, -0.2, 0.5, -0.3);
const coefficients = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 })
  .map((drawn) => Float64Array.from(drawn));

describe("the Chebyshev space", () => {
  it("evaluates T_n as cos(n arccos s)", () => {
    for (let n = 0; n < 10; n++) {
      const unit = new Float64Array(10);
      unit[n] = 1;
      for (const x of [0, 0.1, 0.37, 0.5, 0.99, 1]) {
        expect(evaluateChebyshev(unit, x)).toBeCloseTo(Math.cos(n * Math.acos(2 * x - 1)), 13);
      }
    }
  });

  it("draws ten coefficients with the mean, variance and range of U(-1, 1)", () => {
    const drawn = Array.from({ length: 2000 }, (_, i) => [...drawChebyshev(stream(5, "test", i))]).flat();
    expect(drawn).toHaveLength(20_000);
    expect(Math.max(...drawn.map(Math.abs))).toBeLessThan(1);
    const mean = drawn.reduce((a, b) => a + b, 0) / drawn.length;
    const variance = drawn.reduce((a, b) => a + b * b, 0) / drawn.length;
    expect(Math.abs(mean)).toBeLessThan(4 * Math.sqrt(1 / 3 / 20_000));
    expect(Math.abs(variance - 1 / 3)).toBeLessThan(4 * Math.sqrt(4 / 45 / 20_000));
  });

  it("has the Fourier coefficients that quadrature gives", () => {
    fc.assert(
      fc.property(coefficients, fc.integer({ min: 0, max: 20 }), (a, k) => {
        const { nodes, weights } = gaussLegendre(100);
        let re = 0;
        let im = 0;
        nodes.forEach((node, i) => {
          const x = (1 + node) / 2;
          const value = (weights[i] / 2) * evaluateChebyshev(a, x);
          re += value * Math.cos(2 * Math.PI * k * x);
          im -= value * Math.sin(2 * Math.PI * k * x);
        });
        const spectrum = fourierCoefficients(a, 21);
        expect(Math.abs(spectrum[2 * k] - re)).toBeLessThan(1e-11);
        expect(Math.abs(spectrum[2 * k + 1] - im)).toBeLessThan(1e-11);
      }),
      { numRuns: 30 },
    );
  });

  it("has grids that end exactly at 0 and 1", () => {
    expect([...unitGrid(5)]).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });
});

describe("the antiderivative", () => {
  it("has the golden values", () => {
    const integral = integrateChebyshev(GOLDEN);
    expect(evaluateChebyshev(integral, 0.5)).toBeCloseTo(0.40746031746, 12);
    expect(evaluateChebyshev(integral, 1)).toBeCloseTo(0.234920634921, 12);
    expect(solveAntiderivative(GOLDEN)[99]).toBeCloseTo(0.234920634921, 12);
  });

  it("vanishes at 0 and ends at the sum of a_n / (1 - n^2) over even n", () => {
    fc.assert(
      fc.property(coefficients, (a) => {
        const u = solveAntiderivative(a);
        expect(Math.abs(u[0])).toBeLessThan(1e-15);
        const end = a.reduce((sum, value, n) => (n % 2 === 0 ? sum + value / (1 - n * n) : sum), 0);
        expect(Math.abs(u[99] - end)).toBeLessThan(1e-14);
      }),
    );
  });

  it("agrees with Gauss quadrature of the input to 1e-12 at every output", () => {
    const { nodes, weights } = gaussLegendre(12);
    fc.assert(
      fc.property(coefficients, (a) => {
        const u = solveAntiderivative(a);
        ANTIDERIVATIVE_GRID.forEach((x, j) => {
          const quadrature = nodes.reduce(
            (sum, node, i) => sum + (weights[i] / 2) * x * evaluateChebyshev(a, (x * (1 + node)) / 2),
            0,
          );
          expect(Math.abs(u[j] - quadrature)).toBeLessThan(1e-12);
        });
      }),
      { numRuns: 20 },
    );
  });
});
