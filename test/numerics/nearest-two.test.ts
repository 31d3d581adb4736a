import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { nearestTwo } from "../../src/numerics/k-means.js";
import { inlineThreads } from "../../src/numerics/kernels/threads.js";
import { createRowMatrix } from "../../src/numerics/row-matrix.js";
import { applyNormalisation, storageOf } from "../../src/partition/normalise.js";

async function matrixOf(rows: readonly (readonly number[])[]) {
  const matrix = await createRowMatrix(rows.length, rows[0].length, inlineThreads);
  matrix.put(matrix.data, 32, Float32Array.from(rows.flat()));
  return matrix;
}

const distance = (a: readonly number[], b: readonly number[]) =>
  Math.hypot(...a.map((value, i) => value - b[i]));

const small = fc.integer({ min: -20, max: 20 });
const table = (columns: number, least: number, most: number) =>
  fc.array(fc.array(small, { minLength: columns, maxLength: columns }), {
    minLength: least,
    maxLength: most,
  });

describe("nearestTwo", () => {
  it("finds the two nearest centroids of every row, as all distances in float64 say", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 11 })
          .chain((columns) => fc.tuple(table(columns, 1, 30), table(columns, 1, 6))),
        async ([rows, centroids]) => {
          const found = await nearestTwo(await matrixOf(rows), Float64Array.from(centroids.flat()));
          rows.forEach((row, i) => {
            const all = centroids.map((centroid) => distance(row, centroid));
            const sorted = [...all].sort((a, b) => a - b);
            expect(found.distances[i]).toBeCloseTo(sorted[0], 4);
            expect(all[found.labels[i]]).toBeCloseTo(sorted[0], 10);
            if (centroids.length === 1) {
              expect(found.others[i]).toBe(-1);
              expect(found.otherDistances[i]).toBe(Infinity);
            } else {
              expect(found.otherDistances[i]).toBeCloseTo(sorted[1], 4);
              expect(found.others[i]).not.toBe(found.labels[i]);
            }
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps the clusters that it is given, also where another centroid is nearer", async () => {
    const matrix = await matrixOf([[0], [1], [9]]);
    const found = await nearestTwo(matrix, Float64Array.of(0, 10, 4), Int32Array.of(1, 0, 1));
    expect([...found.labels]).toEqual([1, 0, 1]);
    expect([...found.distances]).toEqual([10, 1, 1]);
    expect([...found.others]).toEqual([0, 2, 2]);
    expect([...found.otherDistances]).toEqual([0, 3, 5]);
  });

  it("gives the same bits for rows that are read again from disk", async () => {
    const [samples, size] = [3000, 300];
    const values = Float32Array.from({ length: samples * size }, (_, i) => Math.sin(i * i));
    const fields = fieldsInMemory(values, samples, [size]);
    const normalisation = { mean: new Float64Array(size), scale: 2 };
    const centroids = Float64Array.from({ length: 5 * size }, (_, i) => Math.cos(3 * i));
    const [whole, part] = await Promise.all(
      [undefined, { ...storageOf(fields, 4e9), resident: 500, window: 64, sketch: 0 }].map(
        async (storage) => {
          const { matrix } = await applyNormalisation(fields, normalisation, { storage });
          const found = await nearestTwo(matrix, centroids);
          return { found, resident: matrix.resident };
        },
      ),
    );
    expect(part.resident).toBeLessThan(samples);
    expect(part.found).toEqual(whole.found);
  });
});
