import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exp, log } from "../../src/numerics/elementary.js";

const MIN_NORMAL = 2 ** -1022;

/** Distance in units of the last place of the expected value. */
function ulps(value: number, expected: number): number {
  if (value === expected) return 0;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(expected))), -1022);
  return Math.abs(value - expected) / 2 ** Math.max(exponent - 52, -1074);
}

describe("log", () => {
  it("is within two units in the last place of Math.log over all positive numbers", () => {
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true }), (x) => {
        expect(ulps(log(x), Math.log(x))).toBeLessThanOrEqual(2);
      }),
      { numRuns: 20_000 },
    );
  });

  it("keeps its relative accuracy next to 1, where the result nearly vanishes", () => {
    for (let k = -52; k <= -1; k++) {
      for (const x of [1 + 2 ** k, 1 - 2 ** k]) expect(ulps(log(x), Math.log(x))).toBeLessThanOrEqual(2);
    }
  });

  it("is right at the edges", () => {
    expect(log(1)).toBe(0);
    expect(log(0)).toBe(-Infinity);
    expect(log(-0)).toBe(-Infinity);
    expect(log(-1)).toBeNaN();
    expect(log(-Infinity)).toBeNaN();
    expect(log(NaN)).toBeNaN();
    expect(log(Infinity)).toBe(Infinity);
    for (const x of [Number.MIN_VALUE, MIN_NORMAL / 3, MIN_NORMAL, Number.MAX_VALUE, Math.SQRT2, 2])
      expect(ulps(log(x), Math.log(x))).toBeLessThanOrEqual(1);
  });
});

describe("exp", () => {
  it("is within two units in the last place of Math.exp wherever that is positive and finite", () => {
    fc.assert(
      fc.property(fc.double({ min: -745.2, max: 709.8, noNaN: true }), fc.boolean(), (x, small) => {
        const at = small ? x / 700 : x;
        expect(ulps(exp(at), Math.exp(at))).toBeLessThanOrEqual(2);
      }),
      { numRuns: 20_000 },
    );
    for (let x = -745.5; x < 709.8; x += 0.0137) expect(ulps(exp(x), Math.exp(x))).toBeLessThanOrEqual(2);
  });

  it("is right at the edges", () => {
    expect(exp(0)).toBe(1);
    expect(exp(-0)).toBe(1);
    expect(exp(1e-300)).toBe(1);
    expect(exp(709.782712893384)).toBeGreaterThan(1.797693134862e308);
    expect(exp(709.782712893384)).toBeLessThan(Infinity);
    expect(exp(709.7827128933841)).toBe(Infinity);
    expect(exp(Infinity)).toBe(Infinity);
    expect(exp(-745.1332191019411)).toBe(Number.MIN_VALUE);
    expect(exp(-745.1332191019413)).toBe(0);
    expect(exp(-Infinity)).toBe(0);
    expect(exp(NaN)).toBeNaN();
  });

  it("undoes log to the accuracy that the exponent leaves", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true, minExcluded: true }), (x) => {
        expect(Math.abs(exp(log(x)) / x - 1)).toBeLessThan(2e-16 * (4 + Math.abs(log(x))));
      }),
    );
  });
});
