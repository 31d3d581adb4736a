import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { kMeans } from "../../../src/numerics/k-means.js";
import { nodeThreads } from "../../../src/numerics/kernels/node-threads.js";
import { pairwiseDistances } from "../../../src/numerics/pairwise-distances.js";
import type { RowMatrix } from "../../../src/numerics/row-matrix.js";
import { stream } from "../../../src/random/stream.js";
import { clusteredRows, matrixOf } from "../matrices.js";

const rows = clusteredRows(11, 700, 2051, 8);

async function everything(threads?: ReturnType<typeof nodeThreads>) {
  const matrix = await matrixOf(rows, threads);
  try {
    const { labels, centroids, distances } = await kMeans(matrix, { clusters: 9, random: stream(5, "bins") });
    const hash = createHash("sha256").update(labels).update(centroids).update(distances);
    return hash.update(await pairwiseDistances(matrix)).digest("hex");
  } finally {
    await matrix.close();
  }
}

describe("threads", () => {
  it.each([1, 2, 3])("%i of them give the bits of none", async (count) => {
    expect(await everything(nodeThreads(count))).toBe(await everything());
  });

  it("pass on what goes wrong in them", async () => {
    const matrix = await matrixOf(rows, nodeThreads(2));
    await expect(matrix.run("pairwise", 44, 1, matrix.data, 700, 8208, 4_000_000_000)).rejects.toThrow(
      /memory/,
    );
    await matrix.close();
  });

  it("say so where they have ended: by an error, because they were closed, or in the middle of their work", async () => {
    const pairwise = (matrix: RowMatrix, at: number) =>
      matrix.run("pairwise", 44, 1, matrix.data, 700, 8208, at);
    const matrix = await matrixOf(rows, nodeThreads(2));
    const room = matrix.allocate(8 * 700 ** 2);
    await pairwise(matrix, room);
    await expect(pairwise(matrix, 4_000_000_000)).rejects.toThrow(/memory/);
    await expect(pairwise(matrix, room)).rejects.toThrow();
    await matrix.close();
    await expect(pairwise(matrix, room)).rejects.toThrow("a thread");
    const another = await matrixOf(rows, nodeThreads(2));
    const busy = pairwise(another, another.allocate(8 * 700 ** 2));
    await Promise.all([expect(busy).rejects.toThrow("a thread"), another.close()]);
  });

  it("are one at least", async () => {
    expect(await everything(nodeThreads(0))).toBe(await everything());
  });
});
