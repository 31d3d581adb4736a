import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError, OptionError } from "../../src/errors.js";
import { assignToCentroids, type Clustering, kMeans } from "../../src/numerics/k-means.js";
import { kMeansPlusPlus } from "../../src/numerics/k-means-plus-plus.js";
import { stream } from "../../src/random/stream.js";
import { clusteredRows, distance, matrixOf } from "./matrices.js";

type Rows = readonly ArrayLike<number>[];

function meansOf(rows: Rows, labels: ArrayLike<number>, clusters: number): number[][] {
  const means = Array.from({ length: clusters }, () => new Array<number>(rows[0].length).fill(0));
  const sizes = new Array<number>(clusters).fill(0);
  rows.forEach((row, i) => {
    sizes[labels[i]] += 1;
    for (let j = 0; j < row.length; j++) means[labels[i]][j] += row[j];
  });
  return means.map((mean, b) => mean.map((value) => value / sizes[b]));
}

/** Lloyd's iteration in plain float64 (the first of equals), from given labels to rest. */
function plainLloyd(rows: Rows, start: ArrayLike<number>, clusters: number): number[] {
  let labels = Array.from(start);
  for (;;) {
    const means = meansOf(rows, labels, clusters);
    const next = rows.map((row) => {
      const all = means.map((mean) => distance(row, mean));
      return all.indexOf(Math.min(...all));
    });
    if (next.every((label, i) => label === labels[i])) return labels;
    labels = next;
  }
}

/** Whether two labellings are the same sets of rows. */
function sameSets(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  const partner = new Map<number, number>();
  for (let i = 0; i < a.length; i++) {
    if (!partner.has(a[i])) partner.set(a[i], b[i]);
    if (partner.get(a[i]) !== b[i]) return false;
  }
  return new Set(partner.values()).size === partner.size;
}

/** What must hold of every clustering that came to rest. */
function expectFixedPoint(rows: Rows, clusters: number, fit: Clustering): void {
  const columns = rows[0].length;
  const means = meansOf(rows, fit.labels, clusters);
  const centroid = (b: number) => fit.centroids.subarray(b * columns, (b + 1) * columns);
  expect(fit.converged).toBe(true);
  expect(fit.counts.every((count) => count > 0)).toBe(true);
  expect(fit.counts.reduce((a, b) => a + b, 0)).toBe(rows.length);
  means.forEach((mean, b) => {
    const size = Math.max(1, ...mean.map(Math.abs));
    expect(distance(mean, centroid(b))).toBeLessThan(1e-12 * size * columns);
    expect(fit.counts[b]).toBe(fit.labels.filter((label) => label === b).length);
  });
  let inertia = 0;
  rows.forEach((row, i) => {
    const all = means.map((mean) => distance(row, mean));
    const size = Math.sqrt(Array.from(row).reduce((sum, value) => sum + value * value, 0));
    expect(all[fit.labels[i]]).toBeLessThanOrEqual(Math.min(...all) * (1 + 1e-5) + 1e-6 * size);
    expect(Math.abs(fit.distances[i] - all[fit.labels[i]])).toBeLessThan(1e-9 * (1 + size));
    inertia += all[fit.labels[i]] ** 2;
  });
  expect(Math.abs(fit.inertia - inertia)).toBeLessThanOrEqual(1e-9 * (1 + inertia));
}

describe("k-means", () => {
  it.each([0, 1, 2, 3, 4, 5])(
    "ends where plain float64 iterations from the same seeds end (seed %i)",
    async (seed) => {
      const rows = clusteredRows(seed, 500, 61, 5);
      const matrix = await matrixOf(rows);
      const seeds = await kMeansPlusPlus(matrix, 14, stream(seed, "bins"));
      const fit = await kMeans(matrix, { clusters: 14, random: stream(seed, "bins") });
      expect(sameSets(fit.labels, plainLloyd(rows, seeds.nearest, 14))).toBe(true);
      expectFixedPoint(rows, 14, fit);
    },
  );

  it("rests at a fixed point for any shape, size and number of clusters", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(1e6),
        async (count, columns, groups, share, seed) => {
          const rows = clusteredRows(seed, count, columns, groups);
          const clusters = 1 + Math.floor(share * (count - 1));
          const fit = await kMeans(await matrixOf(rows), { clusters, random: stream(seed, "bins") });
          expectFixedPoint(rows, clusters, fit);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("rests at a fixed point among many copies and ties", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), {
          minLength: 4,
          maxLength: 60,
        }),
        fc.nat(1e6),
        async (rows, seed) => {
          const distinct = new Set(rows.map(String)).size;
          const clusters = 1 + (seed % distinct);
          const matrix = await matrixOf(rows);
          const fit = await kMeans(matrix, { clusters, random: stream(seed, "bins") });
          expectFixedPoint(rows, clusters, fit);
          await expect(
            kMeans(matrix, { clusters: distinct + 1, random: stream(seed, "bins") }),
          ).rejects.toThrow(`there are only ${distinct}`);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("never raises the inertia from one iteration to the next", async () => {
    const matrix = await matrixOf(clusteredRows(9, 400, 23, 4));
    let last = Infinity;
    let rest = false;
    for (let maxIterations = 0; !rest; maxIterations++) {
      const fit = await kMeans(matrix, { clusters: 12, random: stream(4, "bins"), maxIterations });
      expect(fit.inertia).toBeLessThanOrEqual(last * (1 + 1e-12));
      last = fit.inertia;
      rest = fit.converged;
    }
  });

  it("gives every row a cluster of its own when there are as many clusters as rows", async () => {
    const rows = clusteredRows(2, 30, 7, 3);
    const fit = await kMeans(await matrixOf(rows), { clusters: 30, random: stream(0, "bins") });
    expect(Array.from(fit.labels)).toEqual(rows.map((_, i) => i));
    expect(fit.inertia).toBe(0);
  });

  it("numbers clusters by size, and equal ones by their first rows", async () => {
    const values = [5, 9, 5, 1, 9, 5, 20];
    const fit = await kMeans(await matrixOf(values.map((value) => [value])), {
      clusters: 4,
      random: stream(0, "bins"),
    });
    expect(Array.from(fit.labels)).toEqual([0, 1, 0, 2, 1, 0, 3]);
    expect(Array.from(fit.counts)).toEqual([3, 2, 1, 1]);
    expect(Array.from(fit.centroids)).toEqual([5, 9, 1, 20]);
  });

  it("finds the same clusters when columns change places", async () => {
    const rows = clusteredRows(6, 300, 40, 5);
    const turned = rows.map((row) => row.map((_, j) => row[(7 * j + 3) % 40]));
    const fit = await kMeans(await matrixOf(rows), { clusters: 6, random: stream(1, "bins") });
    const other = await kMeans(await matrixOf(turned), { clusters: 6, random: stream(1, "bins") });
    expect(other.labels).toEqual(fit.labels);
  });

  it("stops at the given number of iterations and says so", async () => {
    const matrix = await matrixOf(clusteredRows(9, 400, 23, 4));
    const seen: number[] = [];
    const options = { clusters: 12, random: stream(4, "bins"), maxIterations: 2 };
    const fit = await kMeans(matrix, { ...options, onIteration: (iteration) => seen.push(iteration) });
    expect([fit.iterations, fit.converged, seen]).toEqual([2, false, [1, 2]]);
  });

  it("is not worse than scikit-learn over a hundred seeds", async () => {
    const golden = JSON.parse(readFileSync("test/golden/k-means.json", "utf8"));
    const bytes = Buffer.from(golden.data, "base64");
    const rows = Array.from({ length: golden.rows }, (_, i) =>
      Float32Array.from(
        { length: golden.columns },
        (_, j) => (bytes.readFloatLE(4 * (i * golden.columns + j)) - golden.mean[j]) / golden.scale,
      ),
    );
    const matrix = await matrixOf(rows);
    let ours = 0;
    for (let seed = 0; seed < 100; seed++) {
      ours +=
        (await kMeans(matrix, { clusters: golden.clusters, random: stream(seed, "bins") })).inertia / 100;
    }
    const theirs = golden.inertias.reduce((a: number, b: number) => a + b, 0) / golden.inertias.length;
    expect(ours).toBeLessThan(1.01 * theirs);
  });

  it("gives the same bits everywhere", async () => {
    const matrix = await matrixOf(clusteredRows(42, 1000, 333, 7));
    const fit = await kMeans(matrix, { clusters: 10, random: stream(42, "bins") });
    const hash = createHash("sha256").update(fit.labels).update(fit.centroids).update(fit.distances);
    expect(hash.digest("hex")).toMatchInlineSnapshot(
      `"eeb0d7f61d70657601f71f0d7c651d3baa8a55b2016f009d5f28372992f78a61"`,
    );
  });

  it.each([0, -1, 2.5, Number.NaN])("refuses %d clusters", async (clusters) => {
    const matrix = await matrixOf([[1], [2], [3]]);
    await expect(kMeans(matrix, { clusters, random: stream(0, "bins") })).rejects.toThrow(OptionError);
  });

  it("refuses more clusters than rows", async () => {
    const matrix = await matrixOf([[1], [2], [3]]);
    await expect(kMeans(matrix, { clusters: 4, random: stream(0, "bins") })).rejects.toThrow(DataError);
  });
});

describe("assignment to given centroids", () => {
  it("finds the labels and distances of a fit again", async () => {
    const matrix = await matrixOf(clusteredRows(8, 400, 29, 5));
    const fit = await kMeans(matrix, { clusters: 11, random: stream(3, "bins") });
    const again = await assignToCentroids(matrix, fit.centroids);
    expect(again.labels).toEqual(fit.labels);
    expect(again.distances).toEqual(fit.distances);
  });

  it("gives a tie to the first, also among equal centroids", async () => {
    const matrix = await matrixOf([[1], [0], [5]]);
    const { labels, distances } = await assignToCentroids(matrix, Float64Array.of(2, 0, 0, 5));
    expect(Array.from(labels)).toEqual([0, 1, 3]);
    expect(Array.from(distances)).toEqual([1, 0, 0]);
  });

  it("refuses centroids of another length", async () => {
    const matrix = await matrixOf([[1, 2]]);
    await expect(assignToCentroids(matrix, Float64Array.of(1, 2, 3))).rejects.toThrow(OptionError);
  });
});
