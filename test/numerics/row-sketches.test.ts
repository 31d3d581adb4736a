import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowMatrix, type RowMatrix } from "../../src/numerics/row-matrix.js";
import { sketchBytes, sketchCoordinates } from "../../src/numerics/row-sketches.js";
import { rowStorage } from "../../src/numerics/row-storage.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import { distance } from "./matrices.js";

/** Rows that are sums of a few modes, plus noise, some of them equal and some very long. */
function smoothRows(
  seed: number,
  rows: number,
  columns: number,
  modes: number,
  noise: number,
): Float32Array[] {
  const random = stream(seed, "smooth-rows");
  const found: Float32Array[] = [];
  for (let i = 0; i < rows; i++) {
    if (i % 9 === 8) {
      found.push(found[i - 4]);
      continue;
    }
    const size = i % 11 === 10 ? 1000 : 1;
    const amplitudes = Array.from({ length: modes }, (_, k) => (size * normal(random)) / (k + 1));
    found.push(
      Float32Array.from({ length: columns }, (_, j) =>
        amplitudes.reduce((sum, a, k) => sum + a * Math.cos(((k + 1) * j) / columns), noise * normal(random)),
      ),
    );
  }
  return found;
}

/** A matrix that keeps none of these rows, with sketches. */
async function sketched(rows: readonly Float32Array[], dims: number): Promise<RowMatrix> {
  const columns = rows[0].length;
  const storage = { limit: 1e9, resident: 0, window: 7, sketch: dims };
  const matrix = await createRowMatrix(rows.length, columns, undefined, storage);
  matrix.attach({
    bits: 32,
    mean: new Float64Array(columns),
    scale: 1,
    read: async (start, end) => Float32Array.from(rows.slice(start, end).flatMap((row) => [...row])),
  });
  const sketches = matrix.sketches!;
  await sketches.chooseBasis();
  await matrix.pass((span) => sketches.add(span));
  sketches.finish();
  return matrix;
}

/** Bounds of the distances of all rows from row `trial`. */
async function boundsFrom(matrix: RowMatrix, trial: number) {
  const { rows } = matrix;
  const { at, dims } = matrix.sketches!;
  const squares = matrix.allocate(rows * 8);
  const out = matrix.allocate(rows * 8);
  matrix.doubles(squares, rows).fill(Infinity);
  const bounds: number[][] = [];
  for (const isUpper of [0, 1]) {
    const sketch = at + trial * sketchBytes(dims);
    await matrix.run("boundTrials", rows, rows, at, dims, sketch, 1, squares, isUpper, out);
    bounds.push(Array.from(matrix.doubles(out, rows), Math.sqrt));
  }
  return bounds;
}

describe("sketches of rows", () => {
  it("bound their distances from below and above, whatever the rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1000),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0, 1e-6, 0.01, 1),
        fc.constantFrom(4, 8, 64),
        async (seed, columns, modes, noise, dims) => {
          const rows = smoothRows(seed, 30, columns, modes, noise);
          const matrix = await sketched(rows, dims);
          for (const trial of [0, 10, 17]) {
            const [lower, upper] = await boundsFrom(matrix, trial);
            rows.forEach((row, i) => {
              const exact = distance(row, rows[trial]);
              expect(lower[i]).toBeLessThanOrEqual(exact);
              expect(upper[i]).toBeGreaterThanOrEqual(exact);
            });
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("tell distances to a few thousandths where a few modes make up the rows", async () => {
    const rows = smoothRows(3, 100, 500, 6, 0).filter((_, i) => i % 11 !== 10);
    const [lower, upper] = await boundsFrom(await sketched(rows, 8), 0);
    const exact = rows.map((row) => distance(row, rows[0]));
    const ratios = exact.flatMap((d, i) => (d > 0 ? [upper[i] / lower[i]] : [])).sort((a, b) => a - b);
    expect(ratios[Math.floor(ratios.length / 2)]).toBeLessThan(1.003);
  });

  it("take a small part of the memory of rows, and none of rows that are too short or too long", () => {
    const coordinates = [10, 128, 1024, 16_384, 101_000, 2 ** 27].map((columns) =>
      sketchCoordinates(columns),
    );
    expect(coordinates).toEqual([0, 4, 32, 64, 52, 0]);
  });

  it("shrink so that a terabyte can be clustered within 4 GB, and stay whole up to 150 GB", () => {
    const columns = 128 * 128;
    const rowsOf = (bytes: number) => Math.round(bytes / (4 * columns));
    expect(rowStorage(rowsOf(1.5e11), columns, 4e9).sketch).toBe(64);
    for (const bytes of [4e11, 1e12]) {
      const rows = rowsOf(bytes);
      const { limit, sketch } = rowStorage(rows, columns, 4e9);
      const ofBounds = rows * (32 + 4 * 10);
      expect(sketch).toBeGreaterThan(0);
      expect(rows * sketchBytes(sketch) + ofBounds).toBeLessThan(0.95 * limit);
    }
  });
});
