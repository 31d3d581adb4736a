import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { pairwiseDistances } from "../../src/numerics/pairwise-distances.js";
import { createRowMatrix } from "../../src/numerics/row-matrix.js";
import { clusteredRows, distance, matrixOf } from "./matrices.js";

describe("a row matrix", () => {
  it("pads rows with zeros to a multiple of eight columns", async () => {
    const matrix = await matrixOf([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(matrix.stride).toBe(8);
    expect(Array.from(matrix.floats(matrix.data, 16))).toEqual([
      1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0,
    ]);
  });

  it("keeps its rows while working memory grows, and zeroes what it hands out again", async () => {
    const matrix = await matrixOf([[7, 8]]);
    const first = matrix.allocate(10_000_000);
    matrix.ints(first, 10).fill(-1);
    matrix.release(first);
    const second = matrix.allocate(40);
    expect(second).toBe(first);
    expect(Array.from(matrix.ints(second, 10))).toEqual(new Array(10).fill(0));
    expect(Array.from(matrix.row(0))).toEqual([7, 8]);
  });

  it("says how large data are that do not fit", async () => {
    await expect(createRowMatrix(1_000_000, 16_384)).rejects.toThrow(
      new DataError(
        "1000000 samples of 16384 numbers need 65.5 GB in float32, of at most 3.9 GB: " +
          "take fewer samples or a coarser grid",
      ),
    );
    const matrix = await createRowMatrix(2, 2);
    expect(() => matrix.allocate(5e9)).toThrow(DataError);
  });

  it("reaches addresses beyond 2 GiB", async () => {
    const matrix = await createRowMatrix(2_200_000, 256);
    const last = matrix.rows - 4;
    const rows = clusteredRows(1, 4, 256, 2);
    rows.forEach((row, i) => {
      matrix.row(last + i).set(row);
    });
    const out = matrix.allocate(4 * 4 * 8);
    await matrix.run("pairwise", 1, 1, matrix.data + last * 1024, 4, 1024, out);
    expect(out).toBeGreaterThan(2 ** 31);
    expect(matrix.doubles(out, 16)[1]).toBeCloseTo(distance(rows[0], rows[1]), 4);
  });
});

describe("pairwise distances", () => {
  it.each([
    [1, 5],
    [2, 1],
    [17, 8],
    [37, 1025],
    [50, 5000],
  ])("of %i rows of %i columns are those of float64 to 3e-6", async (count, columns) => {
    const rows = clusteredRows(2, count, columns, 3);
    const distances = await pairwiseDistances(await matrixOf(rows));
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const exact = distance(rows[i], rows[j]);
        expect(Math.abs(distances[i * count + j] - exact)).toBeLessThanOrEqual(3e-6 * exact);
      }
    }
  });

  it("stay accurate between rows that nearly agree far from the origin", async () => {
    const a = Float32Array.from({ length: 300 }, (_, j) => 1000 + j);
    const b = a.map((value, j) => (j === 17 ? value + 0.0001220703125 : value));
    const distances = await pairwiseDistances(await matrixOf([a, b, a]));
    expect(distances[1]).toBeCloseTo(0.0001220703125, 12);
    expect(distances[2]).toBe(0);
  });
});
