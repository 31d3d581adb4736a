import type { RowMatrix } from "./row-matrix.js";

/** Euclidean distances between all rows, a symmetric rows x rows matrix; relative error below 3e-6. */
export async function pairwiseDistances(matrix: RowMatrix): Promise<Float64Array> {
  const n = matrix.rows;
  const out = matrix.allocate(n * n * 8);
  try {
    await matrix.run("pairwise", Math.ceil(n / 16), 1, matrix.data, n, matrix.stride * 4, out);
    const distances = matrix.doubles(out, n * n).slice();
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) distances[j * n + i] = distances[i * n + j];
    }
    return distances;
  } finally {
    matrix.release(out);
  }
}
