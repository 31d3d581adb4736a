import type { Threads } from "../../src/numerics/kernels/threads.js";
import { createRowMatrix, type RowMatrix } from "../../src/numerics/row-matrix.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** A matrix with these rows. */
export async function matrixOf(rows: readonly ArrayLike<number>[], threads?: Threads): Promise<RowMatrix> {
  const matrix = await createRowMatrix(rows.length, rows[0].length, threads);
  rows.forEach((row, i) => {
    matrix.row(i).set(row);
  });
  return matrix;
}

/** Rows around `groups` centres of very different size: group g has about half as many as group g - 1. */
export function clusteredRows(seed: number, rows: number, columns: number, groups: number): Float32Array[] {
  const random = stream(seed, "clustered-rows");
  const centres = Array.from({ length: groups }, () =>
    Array.from({ length: columns }, () => 2 * normal(random)),
  );
  return Array.from({ length: rows }, () => {
    let group = 0;
    while (group < groups - 1 && random.uniform() < 0.5) group++;
    return Float32Array.from(centres[group], (value) => value + normal(random));
  });
}

/** Euclidean distance in float64. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let square = 0;
  for (let j = 0; j < a.length; j++) square += (a[j] - b[j]) ** 2;
  return Math.sqrt(square);
}
