import { describe, expect, it } from "vitest";
import {
  hellinger,
  jensenShannon,
  squaredDistance,
  totalVariation,
} from "../../src/diagnostics/divergences.js";

const P = [0.1, 0.2, 0.3, 0.4];
const Q = [0.4, 0.3, 0.2, 0.1];

describe("divergences", () => {
  it("agree with SciPy and NumPy", () => {
    // scipy.spatial.distance.jensenshannon(p, q, 2) and numpy formulas, SciPy 1.16
    expect(jensenShannon(P, Q)).toBeCloseTo(0.3918681606471552, 13);
    expect(totalVariation(P, Q)).toBeCloseTo(0.4, 15);
    expect(hellinger(P, Q)).toBeCloseTo(0.3318162917087773, 13);
    expect(squaredDistance(P, Q)).toBeCloseTo(0.2, 15);
  });

  it("are 1 for histograms that share nothing and 0 for equal ones", () => {
    for (const distance of [jensenShannon, totalVariation, hellinger]) {
      expect(distance([1, 0, 0], [0, 0.5, 0.5])).toBeCloseTo(1, 14);
      expect(distance(P, P)).toBe(0);
    }
  });
});
