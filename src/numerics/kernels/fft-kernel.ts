import { cosPi, sinPi } from "../trigonometry.js";
import { FFT } from "./binary.js";
import { moduleAtOnce } from "./load-kernels.js";

/** Real and imaginary parts of complex numbers. */
export interface Parts {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** Complex Fourier transforms of one length, in a memory of their own. Where a result lies its numbers are until the next. */
export interface ComplexFft {
  /** The numbers that are transformed, which a transform overwrites. */
  readonly numbers: Parts;
  /** X_k = sum over j of x_j exp(-2 pi i j k / length). */
  forward(): Parts;
  /** The same with exp(2 pi i j k / length). */
  backward(): Parts;
}

const SHORTEST = 8;
const PAGE = 65536;

/** Transforms of a power of two of 8 or more numbers, made at once: the module is small enough for that in a page, too. */
export function complexFft(length: number): ComplexFft {
  if (length < SHORTEST || (length & (length - 1)) !== 0)
    throw new RangeError(`the length of a transform is a power of two from ${SHORTEST} on, not ${length}`);
  const memory = new WebAssembly.Memory({ initial: Math.ceil((6 * 8 * length) / PAGE) + 1 });
  const { transform } = new WebAssembly.Instance(moduleAtOnce(FFT), { env: { memory } }).exports as {
    transform: (...lengthAndPointers: number[]) => number;
  };
  // Leaves address 0 and the stub runtime's few bytes alone.
  const [re, im, otherRe, otherIm, cosine, sine] = Array.from(
    { length: 6 },
    (_, i) => new Float64Array(memory.buffer, PAGE / 2 + 8 * length * i, length),
  );
  for (let k = 0; k < length; k++) {
    cosine[k] = cosPi((2 * k) / length);
    sine[k] = sinPi((-2 * k) / length);
  }
  const [numbers, others] = [
    { re, im },
    { re: otherRe, im: otherIm },
  ];
  const pointers = (...arrays: Float64Array[]) => arrays.map(({ byteOffset }) => byteOffset);
  const tables = pointers(cosine, sine);
  const there = pointers(re, im, otherRe, otherIm);
  // Exchanging real and imaginary parts turns the transform into its inverse.
  const back = pointers(im, re, otherIm, otherRe);
  return {
    numbers,
    forward: () => (transform(length, ...there, ...tables) ? others : numbers),
    backward: () => (transform(length, ...back, ...tables) ? others : numbers),
  };
}
