import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definitions, floatText, TAIL } from "../../../../src/engine/cuda/kernels/elementwise-text.js";
import { erf } from "../../../../src/numerics/error-function.js";

describe("the text of an elementwise operation", () => {
  it("has numbers that are exactly those of float32", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = floatText(value).replace(/[()f]/g, "");
        expect(Object.is(Math.fround(Number(text)), value)).toBe(true);
      }),
    );
    expect(floatText(Infinity)).toBe("__uint_as_float(0x7f800000u)");
    expect(floatText(0.1)).toBe("1.00000001e-1f");
  });

  it("brings the normal distribution along only where something calls it", () => {
    expect(definitions(["x * normal(x)", "x"])).toHaveLength(1);
    expect(definitions(["erff(x)"])).toEqual([]);
  });
});

describe("the tail of the normal distribution", () => {
  /** Phi(x) as a GPU computes it, rounded to float32 at each step. */
  const normal = (x: number) => {
    const t = Math.abs(x);
    const y = TAIL.reduceRight<number>((sum, c) => Math.fround((sum && sum * t) + Math.fround(c)), 0);
    const tail = Math.fround(2 ** Math.fround(y * t - 1));
    return x > 0 ? Math.fround(1 - tail) : tail;
  };

  it("gives GELU to the accuracy of float32", () => {
    fc.assert(
      fc.property(fc.float({ min: -12, max: 12, noNaN: true }), (x) => {
        const exact = (1 + erf(x * Math.SQRT1_2)) / 2;
        expect(Math.abs(normal(x) - exact)).toBeLessThan(1.2e-7);
        expect(Math.abs(x * normal(x) - x * exact)).toBeLessThan(5e-7);
      }),
      { numRuns: 2000 },
    );
    expect(normal(0)).toBe(0.5);
  });

  it("vanishes far out, and is one on the other side", () => {
    for (const x of [14, 100, 3e4, 1e30, Infinity]) expect([normal(-x), normal(x)]).toEqual([0, 1]);
    expect(normal(NaN)).toBeNaN();
  });
});
