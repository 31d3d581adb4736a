/** Eigenvalues of a symmetric matrix and its orthonormal eigenvectors, vector m in entries [m * n, (m + 1) * n). */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/**
 * Jacobi's method by cyclic sweeps: slow for large matrices, but short, accurate also for the small eigenvalues
 * of a positive definite matrix, and made of + - * / and square roots, so the same bits everywhere. The order of
 * the eigenvalues is that of the diagonal that they grew from.
 */
export function symmetricEigen(matrix: Float64Array, n: number): SymmetricEigen {
  const a = matrix.slice();
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < 50; sweep++) {
    let rotations = 0;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) if (rotate(a, vectors, n, p, q)) rotations++;
    }
    if (rotations === 0) break;
  }
  return { values: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), vectors };
}

/** Makes a[p, q] zero; false where it is negligible beside its two diagonal entries already. */
function rotate(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): boolean {
  const apq = a[p * n + q];
  const app = a[p * n + p];
  const aqq = a[q * n + q];
  if (apq * apq <= 1e-34 * Math.abs(app * aqq)) return false;
  const theta = (aqq - app) / (2 * apq);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (let i = 0; i < n; i++) {
    const x = a[i * n + p];
    const y = a[i * n + q];
    a[i * n + p] = cosine * x - sine * y;
    a[i * n + q] = sine * x + cosine * y;
  }
  rotateRows(a, n, p, q, cosine, sine);
  rotateRows(vectors, n, p, q, cosine, sine);
  a[p * n + q] = 0;
  a[q * n + p] = 0;
  return true;
}

function rotateRows(a: Float64Array, n: number, p: number, q: number, cosine: number, sine: number): void {
  for (let i = 0; i < n; i++) {
    const x = a[p * n + i];
    const y = a[q * n + i];
    a[p * n + i] = cosine * x - sine * y;
    a[q * n + i] = sine * x + cosine * y;
  }
}
