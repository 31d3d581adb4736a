import { complexFft, type Parts } from "../kernels/fft-kernel.js";
import { cosPi, sinPi } from "../trigonometry.js";

/** Transforms of this length or less are sums: a fast transform would not pay. */
const SHORT = 16;

/** X_k = sum over j of x_j exp(-2 pi i j k / length), in place, for any length. */
export type FourierTransform = (numbers: Parts) => void;

/** The transform of one length. It has the same bits everywhere: its sines are those of `trigonometry.ts`. */
export function fourierTransform(length: number): FourierTransform {
  if (length <= SHORT) return sums(length);
  return (length & (length - 1)) === 0 ? powerOfTwo(length) : chirp(length);
}

function sums(length: number): FourierTransform {
  const cosine = Float64Array.from({ length }, (_, k) => cosPi((2 * k) / length));
  const sine = Float64Array.from({ length }, (_, k) => sinPi((2 * k) / length));
  const [a, b] = [new Float64Array(length), new Float64Array(length)];
  return ({ re, im }) => {
    a.set(re);
    b.set(im);
    for (let k = 0; k < length; k++) {
      let [x, y] = [0, 0];
      for (let j = 0, turn = 0; j < length; j++, turn = (turn + k) % length) {
        x += cosine[turn] * a[j] + sine[turn] * b[j];
        y += cosine[turn] * b[j] - sine[turn] * a[j];
      }
      re[k] = x;
      im[k] = y;
    }
  };
}

function powerOfTwo(length: number): FourierTransform {
  const transform = complexFft(length);
  return ({ re, im }) => {
    transform.numbers.re.set(re);
    transform.numbers.im.set(im);
    const result = transform.forward();
    re.set(result.re);
    im.set(result.im);
  };
}

/** Bluestein (1970): j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into a convolution, of a length that is a power of two. */
function chirp(length: number): FourierTransform {
  let long = 1;
  while (long < 2 * length - 1) long *= 2;
  const transform = complexFft(long);
  // exp(-pi i j^2 / length); j^2 is reduced first, so that no digits are lost.
  const angle = (j: number) => ((j * j) % (2 * length)) / length;
  const cosine = Float64Array.from({ length }, (_, j) => cosPi(angle(j)));
  const sine = Float64Array.from({ length }, (_, j) => sinPi(angle(j)));
  const { re: x, im: y } = transform.numbers;
  x.fill(0);
  y.fill(0);
  for (let j = 0; j < length; j++) {
    x[j] = x[(long - j) % long] = cosine[j];
    y[j] = y[(long - j) % long] = sine[j];
  }
  const found = transform.forward();
  const [filterRe, filterIm] = [found.re.slice(), found.im.slice()];
  return ({ re, im }) => {
    x.fill(0);
    y.fill(0);
    for (let j = 0; j < length; j++) {
      x[j] = re[j] * cosine[j] + im[j] * sine[j];
      y[j] = im[j] * cosine[j] - re[j] * sine[j];
    }
    const spectrum = transform.forward();
    for (let k = 0; k < long; k++) {
      const [a, b] = [spectrum.re[k], spectrum.im[k]];
      x[k] = a * filterRe[k] - b * filterIm[k];
      y[k] = a * filterIm[k] + b * filterRe[k];
    }
    const product = transform.backward();
    for (let k = 0; k < length; k++) {
      const [a, b] = [product.re[k] / long, product.im[k] / long];
      re[k] = a * cosine[k] + b * sine[k];
      im[k] = b * cosine[k] - a * sine[k];
    }
  };
}
