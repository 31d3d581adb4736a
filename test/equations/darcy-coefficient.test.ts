import { describe, expect, it } from "vitest";
import {
  BUMP_THRESHOLD,
  drawBumps,
  drawPermeability,
  HIGH_PERMEABILITY,
  sumOfBumps,
} from "../../src/equations/darcy-coefficient.js";
import { erf } from "../../src/numerics/error-function.js";
import { gaussLegendre } from "../../src/numerics/gauss-legendre.js";
import { stream } from "../../src/random/stream.js";

describe("the permeability", () => {
  it("has the mean of all draws for its threshold, by quadrature", () => {
    const { nodes, weights } = gaussLegendre(40);
    let integral = 0;
    nodes.forEach((node, k) => {
      // r = sqrt(s) from 0 to sqrt(1/2), where the integrand is smooth
      const r = ((node + 1) / 2) * Math.SQRT1_2;
      const line = Math.sqrt(Math.PI) * r * erf(1 / r) - r * r * (1 - Math.exp(-1 / (r * r)));
      integral += (weights[k] / 2) * Math.SQRT1_2 * 2 * r * line * line;
    });
    expect(10 * integral).toBeCloseTo(BUMP_THRESHOLD, 12);
  });

  it("has the mean of all draws for its threshold, by drawing", () => {
    const grid = 16;
    const means = Array.from({ length: 4000 }, (_, i) => {
      const sum = sumOfBumps(drawBumps(stream(9, "bumps", i)), grid);
      return sum.reduce((a, b) => a + b, 0) / sum.length;
    });
    const mean = means.reduce((a, b) => a + b, 0) / means.length;
    const variance = means.reduce((a, b) => a + (b - mean) ** 2, 0) / means.length;
    expect(Math.abs(mean - BUMP_THRESHOLD)).toBeLessThan(4 * Math.sqrt(variance / means.length));
  });

  it("is high in about half of the square on average, and nearly nowhere or nearly everywhere at times", () => {
    const fractions = Array.from({ length: 1000 }, (_, i) => {
      const permeability = drawPermeability(stream(10, "fraction", i), 16);
      return permeability.filter((value) => value === HIGH_PERMEABILITY).length / 256;
    });
    const mean = fractions.reduce((a, b) => a + b, 0) / fractions.length;
    expect(mean).toBeGreaterThan(0.45);
    expect(mean).toBeLessThan(0.52);
    expect(Math.min(...fractions)).toBeLessThan(0.02);
    expect(Math.max(...fractions)).toBeGreaterThan(0.8);
  });

  it("is a bump's value at its place: rows are x, columns y", () => {
    const sum = sumOfBumps([{ x: 0.5, y: 0.25, spread: 0.1 }], 8);
    const [x, y] = [0.5 / 8, 7.5 / 8];
    expect(sum[7]).toBeCloseTo(Math.exp(-((x - 0.5) ** 2 + (y - 0.25) ** 2) / 0.1), 14);
  });
});
