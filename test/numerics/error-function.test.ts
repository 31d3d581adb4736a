import { describe, expect, it } from "vitest";
import { erf } from "../../src/numerics/error-function.js";

describe("the error function", () => {
  // Abramowitz and Stegun, Table 7.1, with the digits of Python's math.erf.
  it.each([
    [0, 0],
    [1e-10, 1.1283791670955126e-10],
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [2, 0.9953222650189527],
    [3.5, 0.9999992569016276],
    [5.9, 1],
    [40, 1],
    [Infinity, 1],
  ])("is odd and has its known value at %f", (x, expected) => {
    expect(erf(x)).toBeCloseTo(expected, 14);
    expect(erf(-x)).toBeCloseTo(-expected, 14);
  });

  it("keeps relative precision near zero and passes NaN on", () => {
    expect(erf(1e-10) / 1.1283791670955126e-10).toBeCloseTo(1, 14);
    expect(erf(NaN)).toBeNaN();
  });
});
