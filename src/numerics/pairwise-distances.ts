import type { RowMatrix } from "./row-matrix.js";

/** Blocks of columns have a multiple of so many, the kernel's step, so that sums have the same bits as without blocks. */
export const COLUMN_STEP = 1024;

/** Euclidean distances between all rows, a symmetric rows x rows matrix; relative error below 3e-6. */
export function pairwiseDistances(matrix: RowMatrix): Promise<Float64Array> {
  return blockwiseDistances(matrix, 1, async () => {});
}

/**
 * The same for rows whose columns do not fit into the matrix at once: `fill` puts one block of them after another there,
 * with zeros behind the last.
 */
export async function blockwiseDistances(
  matrix: RowMatrix,
  blocks: number,
  fill: (block: number) => Promise<void>,
): Promise<Float64Array> {
  const n = matrix.rows;
  const out = matrix.allocate(n * n * 8);
  try {
    for (let block = 0; block < blocks; block++) {
      await fill(block);
      const more = block < blocks - 1 ? 1 : 0;
      await matrix.run("pairwise", Math.ceil(n / 16), 1, matrix.data, n, matrix.stride * 4, out, more);
    }
    const distances = matrix.doubles(out, n * n).slice();
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) distances[j * n + i] = distances[i * n + j];
    }
    return distances;
  } finally {
    matrix.release(out);
  }
}
