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
 * The real transform of a power-of-two length of 4 or more, by a complex transform of half the length: even
 * samples are its real parts, odd ones its imaginary parts.
 */
export function realFft(length: number): RealFft {
  const half = length / 2;
  const transform = complexFft(half);
  const re = new Float64Array(half);
  const im = new Float64Array(half);
  const cosine = Float64Array.from({ length: half }, (_, k) => cosPi((2 * k) / length));
  const sine = Float64Array.from({ length: half }, (_, k) => sinPi((2 * k) / length));

  return {
    length,
    analyse(values, spectrum, modes) {
      for (let j = 0; j < half; j++) {
        re[j] = values[2 * j];
        im[j] = values[2 * j + 1];
      }
      transform(re, im);
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
      re.fill(0);
      im.fill(0);
      re[0] = spectrum[0];
      im[0] = spectrum[0];
      // Every c_k enters the packed coefficients k and half - k: (1 + i w_k) c_k and conj((1 - i w_k) c_k).
      for (let k = 1; k < modes; k++) {
        const x = spectrum[2 * k];
        const y = spectrum[2 * k + 1];
        const turnedRe = -sine[k] * x - cosine[k] * y;
        const turnedIm = cosine[k] * x - sine[k] * y;
        re[k] += x + turnedRe;
        im[k] += y + turnedIm;
        re[half - k] += x - turnedRe;
        im[half - k] -= y - turnedIm;
      }
      transform(im, re); // exchanging real and imaginary parts turns the transform into its inverse
      for (let j = 0; j < half; j++) {
        values[2 * j] = re[j];
        values[2 * j + 1] = im[j];
      }
    },
  };
}

/**
 * The forward complex transform in place, X_k = sum over j of x_j exp(-2 pi i j k / length), of a power-of-two
 * length: Stockham's self-sorting algorithm with radix 4, and one pass of radix 2 where the power is odd.
 */
export function complexFft(length: number): (re: Float64Array, im: Float64Array) => void {
  if (length < 1 || (length & (length - 1)) !== 0) {
    throw new RangeError(`the length of a transform is a power of two, not ${length}`);
  }
  const otherRe = new Float64Array(length);
  const otherIm = new Float64Array(length);
  const cosine = Float64Array.from({ length }, (_, k) => cosPi((2 * k) / length));
  const sine = Float64Array.from({ length }, (_, k) => sinPi((-2 * k) / length));

  /** One pass over `stride` interleaved transforms of length `n`. */
  function radix4(
    n: number,
    stride: number,
    xr: Float64Array,
    xi: Float64Array,
    yr: Float64Array,
    yi: Float64Array,
  ) {
    const quarter = n >> 2;
    const apart = quarter * stride;
    for (let p = 0; p < quarter; p++) {
      const w1r = cosine[p * stride];
      const w1i = sine[p * stride];
      const w2r = cosine[2 * p * stride];
      const w2i = sine[2 * p * stride];
      const w3r = cosine[3 * p * stride];
      const w3i = sine[3 * p * stride];
      const end = stride * (p + 1);
      for (let a = stride * p, y = 4 * a; a < end; a++, y++) {
        const b = a + apart;
        const c = b + apart;
        const d = c + apart;
        const sumAcr = xr[a] + xr[c];
        const sumAci = xi[a] + xi[c];
        const differenceAcr = xr[a] - xr[c];
        const differenceAci = xi[a] - xi[c];
        const sumBdr = xr[b] + xr[d];
        const sumBdi = xi[b] + xi[d];
        const differenceBdr = xr[b] - xr[d];
        const differenceBdi = xi[b] - xi[d];
        const r1 = differenceAcr + differenceBdi;
        const i1 = differenceAci - differenceBdr;
        const r2 = sumAcr - sumBdr;
        const i2 = sumAci - sumBdi;
        const r3 = differenceAcr - differenceBdi;
        const i3 = differenceAci + differenceBdr;
        yr[y] = sumAcr + sumBdr;
        yi[y] = sumAci + sumBdi;
        yr[y + stride] = w1r * r1 - w1i * i1;
        yi[y + stride] = w1r * i1 + w1i * r1;
        yr[y + 2 * stride] = w2r * r2 - w2i * i2;
        yi[y + 2 * stride] = w2r * i2 + w2i * r2;
        yr[y + 3 * stride] = w3r * r3 - w3i * i3;
        yi[y + 3 * stride] = w3r * i3 + w3i * r3;
      }
    }
  }

  /** The last pass, of length 2, which needs no factors. */
  function radix2(xr: Float64Array, xi: Float64Array, yr: Float64Array, yi: Float64Array) {
    const half = length >> 1;
    for (let a = 0; a < half; a++) {
      const b = a + half;
      const ar = xr[a];
      const ai = xi[a];
      const br = xr[b];
      const bi = xi[b];
      yr[a] = ar + br;
      yi[a] = ai + bi;
      yr[b] = ar - br;
      yi[b] = ai - bi;
    }
  }

  return (re, im) => {
    let swapped = false;
    let stride = 1;
    for (; length / stride >= 4; stride *= 4) {
      if (swapped) radix4(length / stride, stride, otherRe, otherIm, re, im);
      else radix4(length / stride, stride, re, im, otherRe, otherIm);
      swapped = !swapped;
    }
    if (length / stride === 2) {
      if (swapped) radix2(otherRe, otherIm, re, im);
      else radix2(re, im, re, im);
      swapped = false;
    }
    if (swapped) {
      re.set(otherRe);
      im.set(otherIm);
    }
  };
}
