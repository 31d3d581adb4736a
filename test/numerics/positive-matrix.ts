import { dot, type Operator } from "../../src/numerics/conjugate-gradients.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** M M^T + the unit matrix for a random n x n matrix M. */
export function positiveMatrix(n: number, seed: number): Float64Array {
  const random = stream(seed, "positive matrix");
  const m = Float64Array.from({ length: n * n }, () => normal(random));
  return Float64Array.from({ length: n * n }, (_, at) => {
    const i = Math.floor(at / n);
    const j = at % n;
    let sum = i === j ? 1 : 0;
    for (let l = 0; l < n; l++) sum += m[i * n + l] * m[j * n + l];
    return sum;
  });
}

/** The matrix as an operator. */
export const product =
  (matrix: Float64Array, n: number): Operator =>
  (v, out) => {
    for (let i = 0; i < n; i++) out[i] = dot(matrix.subarray(i * n, (i + 1) * n), v);
  };
