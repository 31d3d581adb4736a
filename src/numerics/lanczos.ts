import { symmetricEigen } from "./symmetric-eigen.js";
import { dot, norm, plus } from "./vector.js";

/**
 * The largest absolute eigenvalue of a symmetric matrix that is known by its products with vectors: Lanczos' method
 * with full reorthogonalisation. The value is that of the best vector of a Krylov space, hence never above the true
 * one; it is within a percent after a dozen steps where the spectrum's end is separated.
 *
 * @param start a vector with some part along the wanted eigenvector, such as a random one
 * @param steps products at most, 16 by default; fewer where the value stops changing in the fourth digit
 */
export async function spectralNorm(
  multiply: (v: Float64Array) => Promise<Float64Array>,
  start: Float64Array,
  { steps = 16 }: { readonly steps?: number } = {},
): Promise<number> {
  const basis: Float64Array[] = [];
  const diagonal: number[] = [];
  const beside: number[] = [];
  let next = start;
  let length = norm(start);
  let found = 0;
  for (let step = 0; step < Math.min(steps, start.length); step++) {
    const v = next.map((value) => value / length);
    basis.push(v);
    let rest = await multiply(v);
    diagonal.push(dot(v, rest));
    const scale = norm(rest);
    // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, 6.9).
    for (let pass = 0; pass < 2; pass++) for (const u of basis) rest = plus(rest, u, -dot(u, rest));
    const value = largestOfTridiagonal(diagonal, beside);
    const settled = step > 3 && Math.abs(value - found) <= 1e-4 * value;
    found = value;
    length = norm(rest);
    if (settled || length <= 1e-13 * scale || scale === 0) break;
    beside.push(length);
    next = rest;
  }
  return found;
}

function largestOfTridiagonal(diagonal: readonly number[], beside: readonly number[]): number {
  const n = diagonal.length;
  const matrix = new Float64Array(n * n);
  diagonal.forEach((value, i) => {
    matrix[i * n + i] = value;
    if (i > 0) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = beside[i - 1];
  });
  return Math.max(...symmetricEigen(matrix, n).values.map(Math.abs));
}
