import { dot, type Operator } from "./conjugate-gradients.js";
import { symmetricEigen } from "./symmetric-eigen.js";

const MOST_STEPS = 40;

/**
 * f(B) v for a symmetric B by Lanczos: in the orthonormal basis q_1, q_2, ... of v, B v, B^2 v, ... B is a tridiagonal
 * matrix T, and f(B) v is about |v| times the sum of q_m f(T)[m, 1]. Ends when the last two terms are below
 * `tolerance` of the sum. Few steps suffice where f is smooth on the spectrum of B (Saad, SIAM J. Numer. Anal. 29,
 * 1992).
 */
export function matrixFunction(
  apply: Operator,
  v: Float64Array,
  f: (eigenvalue: number) => number,
  tolerance = 1e-8,
): Float64Array {
  const norm = Math.sqrt(dot(v, v));
  if (norm === 0) return new Float64Array(v.length);
  const basis = [v.map((value) => value / norm)];
  const diagonal: number[] = [];
  const beside: number[] = [];
  for (;;) {
    const last = basis[basis.length - 1];
    const next = new Float64Array(v.length);
    apply(last, next);
    diagonal.push(dot(last, next));
    // Twice against all, although three terms would do in exact arithmetic: rounding loses orthogonality otherwise.
    for (let pass = 0; pass < 2; pass++) for (const q of basis) addMultiple(next, -dot(q, next), q);
    const size = Math.sqrt(dot(next, next));
    const terms = firstColumn(diagonal, beside, f);
    const whole = Math.sqrt(dot(terms, terms));
    const steps = terms.length;
    const tail = Math.abs(terms[steps - 1]) + Math.abs(steps > 1 ? terms[steps - 2] : whole);
    const exhausted = size <= 1e-14 * Math.abs(diagonal[0]); // the basis spans all that B makes of v
    if (tail <= tolerance * whole || exhausted) {
      const result = new Float64Array(v.length);
      for (let m = 0; m < steps; m++) addMultiple(result, norm * terms[m], basis[m]);
      return result;
    }
    if (steps === MOST_STEPS) throw new Error(`Lanczos has not converged after ${MOST_STEPS} steps`);
    beside.push(size);
    basis.push(next.map((value) => value / size));
  }
}

/** The first column of f(T), T having this diagonal and these entries beside it. */
function firstColumn(
  diagonal: readonly number[],
  beside: readonly number[],
  f: (eigenvalue: number) => number,
): Float64Array {
  const n = diagonal.length;
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    matrix[i * n + i] = diagonal[i];
    if (i > 0) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = beside[i - 1];
  }
  const { values, vectors } = symmetricEigen(matrix, n);
  const column = new Float64Array(n);
  for (let m = 0; m < n; m++) {
    const weight = f(values[m]) * vectors[m * n];
    for (let i = 0; i < n; i++) column[i] += weight * vectors[m * n + i];
  }
  return column;
}

function addMultiple(to: Float64Array, factor: number, v: Float64Array): void {
  for (let k = 0; k < to.length; k++) to[k] += factor * v[k];
}
