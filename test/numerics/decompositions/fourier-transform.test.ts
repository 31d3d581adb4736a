import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fourierTransform } from "../../../src/numerics/decompositions/fourier-transform.js";

/** The definition, with the sines of the language. */
function bySums(re: readonly number[], im: readonly number[]): [number[], number[]] {
  const n = re.length;
  const sum = (k: number, part: (j: number, angle: number) => number) =>
    re.reduce((total, _, j) => total + part(j, (2 * Math.PI * ((j * k) % n)) / n), 0);
  return [
    re.map((_, k) => sum(k, (j, angle) => re[j] * Math.cos(angle) + im[j] * Math.sin(angle))),
    re.map((_, k) => sum(k, (j, angle) => im[j] * Math.cos(angle) - re[j] * Math.sin(angle))),
  ];
}

describe("the Fourier transform of any length", () => {
  it.each([1, 2, 3, 5, 16, 17, 31, 32, 64, 85, 97, 101, 128, 129])(
    "is the sum of its definition for %i points",
    (n) => {
      fc.assert(
        fc.property(
          fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2 * n, maxLength: 2 * n }),
          (values) => {
            const [re, im] = [values.slice(0, n), values.slice(n)];
            const found = { re: Float64Array.from(re), im: Float64Array.from(im) };
            fourierTransform(n)(found);
            const [expectedRe, expectedIm] = bySums(re, im);
            for (let k = 0; k < n; k++) {
              expect(Math.abs(found.re[k] - expectedRe[k])).toBeLessThan(1e-11 * n);
              expect(Math.abs(found.im[k] - expectedIm[k])).toBeLessThan(1e-11 * n);
            }
          },
        ),
        { numRuns: 5 },
      );
    },
  );

  it("gives the same bits when it is used again", () => {
    const transform = fourierTransform(101);
    const once = () => {
      const numbers = { re: Float64Array.from({ length: 101 }, (_, j) => j % 7), im: new Float64Array(101) };
      transform(numbers);
      return numbers;
    };
    expect(once()).toEqual(once());
  });
});
