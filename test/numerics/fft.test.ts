import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realFft } from "../../src/numerics/fft.js";
import { fourierSum } from "../../src/numerics/fourier-sum.js";
import { complexFft, type Parts } from "../../src/numerics/kernels/fft-kernel.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const LENGTHS = [16, 32, 64, 128, 256, 512];

function gaussian(count: number, name: string): Float64Array {
  const random = stream(1, name);
  return Float64Array.from({ length: count }, () => normal(random));
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), 0);
}

/** c_k = (1 / n) sum of u_j exp(-2 pi i j k / n), k = 0 .. n / 2, by the definition. */
function plainAnalysis(values: Float64Array): Float64Array {
  const n = values.length;
  const spectrum = new Float64Array(n + 2);
  for (let k = 0; k <= n / 2; k++) {
    values.forEach((value, j) => {
      const angle = (2 * Math.PI * ((j * k) % n)) / n;
      spectrum[2 * k] += (value * Math.cos(angle)) / n;
      spectrum[2 * k + 1] -= (value * Math.sin(angle)) / n;
    });
  }
  return spectrum;
}

/** A trigonometric sum at the points j / n, by the definition. */
function plainSum(spectrum: Float64Array, modes: number, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, j) => {
    let sum = spectrum[0];
    for (let k = 1; k < modes; k++) {
      const angle = (2 * Math.PI * ((j * k) % n)) / n;
      sum += 2 * (spectrum[2 * k] * Math.cos(angle) - spectrum[2 * k + 1] * Math.sin(angle));
    }
    return sum;
  });
}

describe("the complex transform", () => {
  /** The transform of numbers with exp(sign 2 pi i j k / n), by the definition. */
  function plainTransform({ re, im }: Parts, sign: 1 | -1): Parts {
    const n = re.length;
    const [sumRe, sumIm] = [new Float64Array(n), new Float64Array(n)];
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) {
        const angle = (sign * 2 * Math.PI * ((j * k) % n)) / n;
        sumRe[k] += re[j] * Math.cos(angle) - im[j] * Math.sin(angle);
        sumIm[k] += re[j] * Math.sin(angle) + im[j] * Math.cos(angle);
      }
    }
    return { re: sumRe, im: sumIm };
  }

  it.each([8, ...LENGTHS])("of length %i is the sum that defines it, in either direction", (n) => {
    const numbers = { re: gaussian(n, "re"), im: gaussian(n, "im") };
    const fft = complexFft(n);
    for (const [direction, sign] of [
      ["forward", -1],
      ["backward", 1],
      ["forward", -1],
    ] as const) {
      fft.numbers.re.set(numbers.re);
      fft.numbers.im.set(numbers.im);
      const { re, im } = fft[direction]();
      const expected = plainTransform(numbers, sign);
      expect(largestDifference(re, expected.re)).toBeLessThan(1e-12 * n);
      expect(largestDifference(im, expected.im)).toBeLessThan(1e-12 * n);
    }
  });

  it.each([4, 12, 0, -16])("refuses the length %i", (n) => {
    expect(() => complexFft(n)).toThrow(`power of two from 8 on, not ${n}`);
  });
});

describe("the real transform", () => {
  it.each(LENGTHS)("of length %i gives all coefficients of the plain sum, the highest included", (n) => {
    const values = gaussian(n, "values");
    const spectrum = new Float64Array(n + 2);
    realFft(n).analyse(values, spectrum, n / 2 + 1);
    expect(largestDifference(spectrum, plainAnalysis(values))).toBeLessThan(1e-13);
  });

  it.each(LENGTHS)("of length %i synthesises the values of a trigonometric sum", (n) => {
    const modes = n / 2;
    const spectrum = gaussian(n, "spectrum");
    spectrum[1] = 0;
    const values = new Float64Array(n);
    realFft(n).synthesise(spectrum, values, modes);
    expect(largestDifference(values, plainSum(spectrum, modes, n))).toBeLessThan(1e-12 * Math.sqrt(n));
  });

  it("keeps the energy (Parseval) and comes back to where it began", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 64, maxLength: 64 }),
        (drawn) => {
          const fft = realFft(64);
          const values = Float64Array.from(drawn);
          const spectrum = new Float64Array(66);
          fft.analyse(values, spectrum, 33);
          spectrum.fill(0, 64); // the highest mode has no partner in `synthesise`
          fft.synthesise(spectrum, values, 32);
          const again = new Float64Array(66);
          fft.analyse(values, again, 33);
          expect(largestDifference(again, spectrum)).toBeLessThan(1e-13);
          const mean = values.reduce((sum, value) => sum + value * value, 0) / 64;
          const energy = spectrum.reduce((sum, c, i) => sum + (i < 2 ? 1 : 2) * c * c, 0);
          expect(Math.abs(mean - energy)).toBeLessThan(1e-11);
        },
      ),
    );
  });

  it("takes coefficients from `modes` on for zero", () => {
    const spectrum = gaussian(32, "spectrum");
    spectrum[1] = 0;
    const values = new Float64Array(32);
    realFft(32).synthesise(spectrum, values, 5);
    expect(largestDifference(values, plainSum(spectrum, 5, 32))).toBeLessThan(1e-13);
  });
});

describe("the Fourier sum", () => {
  it.each([1, 3, 26, 51, 120, 301])(
    "of %i modes at 100 points is the sum that defines it, written with a stride",
    (modes) => {
      const spectrum = gaussian(2 * modes, "spectrum");
      spectrum[1] = 0;
      const out = new Float64Array(300).fill(7);
      fourierSum(100)(spectrum, modes, out, 1, 3);
      const expected = plainSum(spectrum, modes, 100);
      expect(
        largestDifference(
          out.filter((_, i) => i % 3 === 1),
          expected,
        ),
      ).toBeLessThan(1e-12 * Math.sqrt(modes));
      expect(out.filter((_, i) => i % 3 !== 1).every((value) => value === 7)).toBe(true);
    },
  );
});
