import type { Stream } from "../random/stream.js";

/**
 * The random functions of the controlled tasks: p(x) = sum of a_n T_n(2x - 1) on [0, 1] with n = 0 .. 9 and
 * independent a_n, uniform in (-1, 1).
 */
export const CHEBYSHEV_MODES = 10;

/** Coefficients a_0 .. a_9 of a random function. */
export function drawChebyshev(random: Stream): Float64Array {
  return Float64Array.from({ length: CHEBYSHEV_MODES }, () => 2 * random.uniform() - 1);
}

/** The sum of coefficients[n] T_n(2x - 1), by Clenshaw's recurrence. */
export function evaluateChebyshev(coefficients: Float64Array, x: number): number {
  const s = 2 * x - 1;
  let next = 0;
  let afterNext = 0;
  for (let n = coefficients.length - 1; n >= 1; n--) {
    const current = coefficients[n] + 2 * s * next - afterNext;
    afterNext = next;
    next = current;
  }
  return coefficients[0] + s * next - afterNext;
}

/** The same at every point of a grid. */
export function sampleChebyshev(coefficients: Float64Array, grid: Float64Array): Float64Array {
  return grid.map((x) => evaluateChebyshev(coefficients, x));
}

/** Coefficients of the antiderivative in x that vanishes at x = 0; one more than went in. */
export function integrateChebyshev(coefficients: Float64Array): Float64Array {
  const integral = new Float64Array(coefficients.length + 1);
  // dx = ds / 2; the integral of T_n is T_{n+1} / 2(n+1) - T_{n-1} / 2(n-1), for n = 0 it is T_1, for n = 1 T_2 / 4.
  coefficients.forEach((a, n) => {
    integral[n + 1] += n === 0 ? a / 2 : a / (4 * (n + 1));
    if (n > 1) integral[n - 1] -= a / (4 * (n - 1));
  });
  integral[0] = -evaluateChebyshev(integral, 0);
  return integral;
}

/**
 * Exact Fourier coefficients c_0 .. c_{modes - 1} of the function continued with period 1, as re, im pairs.
 * Repeated integration by parts: c_k = sum over j of [p^(j)(0) - p^(j)(1)] / (2 pi i k)^(j + 1) for k > 0. The
 * continuation jumps at the wrap, so that coefficients from samples would be wrong in the third digit.
 */
export function fourierCoefficients(coefficients: Float64Array, modes: number): Float64Array {
  const jumps = endJumps(coefficients);
  const spectrum = new Float64Array(2 * modes);
  spectrum[0] = evaluateChebyshev(integrateChebyshev(coefficients), 1);
  for (let k = 1; k < modes; k++) {
    const scale = 1 / (2 * Math.PI * k);
    let re = 0;
    let im = 0;
    for (let j = jumps.length - 1; j >= 0; j--) {
      // Horner's rule: (sum + jump) / (2 pi i k), where 1 / i = -i
      const sum = re + jumps[j];
      re = im * scale;
      im = -sum * scale;
    }
    spectrum[2 * k] = re;
    spectrum[2 * k + 1] = im;
  }
  return spectrum;
}

/**
 * p^(j)(0) - p^(j)(1) for j = 0, 1, ...: T_n^(j)(1) is the product over i < j of (n^2 - i^2) / (2i + 1), every
 * derivative in x brings a factor 2, and T_n(-s) = (-1)^n T_n(s).
 */
function endJumps(coefficients: Float64Array): Float64Array {
  const jumps = new Float64Array(coefficients.length);
  coefficients.forEach((a, n) => {
    let derivative = a;
    for (let j = 0; j <= n; j++) {
      if ((n + j) % 2 === 1) jumps[j] -= 2 * derivative;
      derivative *= (2 * (n * n - j * j)) / (2 * j + 1);
    }
  });
  return jumps;
}

/** `count` equidistant points from 0 to 1, both ends included. */
export function unitGrid(count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => i / (count - 1));
}
