import { complexFft } from "./kernels/fft-kernel.js";
import { cosPi, sinPi } from "./trigonometry.js";

/**
 * Transforms between the values of a real periodic function at `length` equidistant points and its Fourier
 * coefficients c_k, k = 0 .. length / 2, stored as re, im pairs: u_j = sum over |k| of c_k exp(2 pi i j k / length).
 */
export interface RealFft {
  readonly length: number;
  /** Values to coefficients (with the factor 1 / length); the first `modes` coefficients are written. */
  analyse(values: Float64Array, spectrum: Float64Array, modes: number): void;
  /** Coefficients to values, taking those from `modes` on for zero; `modes` is at most length / 2. */
  synthesise(spectrum: Float64Array, values: Float64Array, modes: number): void;
}

/**
 * The real transform of a power-of-two length of 16 or more, by a complex transform of half the length: even
 * samples are its real parts, odd ones its imaginary parts.
 */
export function realFft(length: number): RealFft {
  const half = length / 2;
  const transform = complexFft(half);
  const cosine = Float64Array.from({ length: half }, (_, k) => cosPi((2 * k) / length));
  const sine = Float64Array.from({ length: half }, (_, k) => sinPi((2 * k) / length));

  return {
    length,
    analyse(values, spectrum, modes) {
      const { numbers } = transform;
      for (let j = 0; j < half; j++) {
        numbers.re[j] = values[2 * j];
        numbers.im[j] = values[2 * j + 1];
      }
      const { re, im } = transform.forward();
      const scale = 0.5 / length;
      spectrum[0] = (re[0] + im[0]) / length;
      spectrum[1] = 0;
      for (let k = 1; k < modes; k++) {
        if (k === half) {
          spectrum[2 * k] = (re[0] - im[0]) / length;
          spectrum[2 * k + 1] = 0;
          break;
        }
        const evenRe = re[k] + re[half - k];
        const evenIm = im[k] - im[half - k];
        const oddRe = im[k] + im[half - k];
        const oddIm = re[half - k] - re[k];
        spectrum[2 * k] = scale * (evenRe + cosine[k] * oddRe + sine[k] * oddIm);
        spectrum[2 * k + 1] = scale * (evenIm + cosine[k] * oddIm - sine[k] * oddRe);
      }
    },
    synthesise(spectrum, values, modes) {
      const { re: packedRe, im: packedIm } = transform.numbers;
      packedRe.fill(0);
      packedIm.fill(0);
      packedRe[0] = spectrum[0];
      packedIm[0] = spectrum[0];
      // Every c_k enters the packed coefficients k and half - k: (1 + i w_k) c_k and conj((1 - i w_k) c_k).
      for (let k = 1; k < modes; k++) {
        const x = spectrum[2 * k];
        const y = spectrum[2 * k + 1];
        const turnedRe = -sine[k] * x - cosine[k] * y;
        const turnedIm = cosine[k] * x - sine[k] * y;
        packedRe[k] += x + turnedRe;
        packedIm[k] += y + turnedIm;
        packedRe[half - k] += x - turnedRe;
        packedIm[half - k] -= y - turnedIm;
      }
      const { re, im } = transform.backward();
      for (let j = 0; j < half; j++) {
        values[2 * j] = re[j];
        values[2 * j + 1] = im[j];
      }
    },
  };
}
