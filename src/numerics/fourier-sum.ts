import { cosPi, sinPi } from "./trigonometry.js";

/**
 * Writes the values of a real Fourier series at j / points, j = 0 .. points - 1, to out[offset + j stride].
 * `spectrum` holds c_0 .. c_{modes - 1} as re, im pairs.
 */
export type FourierSum = (
  spectrum: Float64Array,
  modes: number,
  out: Float64Array,
  offset: number,
  stride: number,
) => void;

/**
 * The sum for an even number of points that need be no power of two. On these points mode k looks like mode
 * k mod points, so all modes are folded into points / 2 + 1 cosines and sines first.
 */
export function fourierSum(points: number): FourierSum {
  const half = points / 2;
  const width = half + 1;
  const cosine = new Float64Array(width * width);
  const sine = new Float64Array(width * width);
  for (let j = 0; j <= half; j++) {
    for (let k = 0; k <= half; k++) {
      cosine[j * width + k] = cosPi((2 * j * k) / points);
      sine[j * width + k] = sinPi((2 * j * k) / points);
    }
  }
  const even = new Float64Array(width);
  const odd = new Float64Array(width);

  return (spectrum, modes, out, offset, stride) => {
    even.fill(0);
    odd.fill(0);
    even[0] = spectrum[0];
    for (let k = 1; k < modes; k++) {
      const folded = k % points;
      if (folded <= half) {
        even[folded] += 2 * spectrum[2 * k];
        odd[folded] -= 2 * spectrum[2 * k + 1];
      } else {
        even[points - folded] += 2 * spectrum[2 * k];
        odd[points - folded] += 2 * spectrum[2 * k + 1];
      }
    }
    for (let j = 0; j <= half; j++) {
      let cosines = 0;
      let sines = 0;
      for (let k = 0, at = j * width; k <= half; k++, at++) {
        cosines += even[k] * cosine[at];
        sines += odd[k] * sine[at];
      }
      out[offset + j * stride] = cosines + sines;
      if (j > 0) out[offset + (points - j) * stride] = cosines - sines; // at j = half the sines vanish
    }
  };
}
