import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosPi, sinPi } from "../../src/numerics/trigonometry.js";

describe("cosPi and sinPi", () => {
  it("agree with the platform's functions to rounding", () => {
    fc.assert(
      fc.property(fc.double({ min: -4, max: 4, noNaN: true }), (x) => {
        expect(Math.abs(cosPi(x) - Math.cos(Math.PI * x))).toBeLessThan(2e-15);
        expect(Math.abs(sinPi(x) - Math.sin(Math.PI * x))).toBeLessThan(2e-15);
      }),
    );
  });

  it("are exact at multiples of one half", () => {
    // + 0 makes one zero of the two
    expect([0, 0.5, 1, 1.5, 2, -0.5, -1].map((x) => cosPi(x) + 0)).toEqual([1, 0, -1, 0, 1, 0, -1]);
    expect([0, 0.5, 1, 1.5, 2, -0.5, -1.5].map((x) => sinPi(x) + 0)).toEqual([0, 1, 0, -1, 0, -1, 1]);
  });

  it("lie on the unit circle, however large the argument", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (x) => {
        expect(Math.abs(cosPi(x) ** 2 + sinPi(x) ** 2 - 1)).toBeLessThan(5e-16);
        expect(cosPi(-x)).toBe(cosPi(x));
        expect(sinPi(-x) + sinPi(x)).toBe(0);
      }),
    );
  });
});
