import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { kMeansPlusPlus, type Uniforms } from "../../src/numerics/k-means-plus-plus.js";
import { stream } from "../../src/random/stream.js";
import { clusteredRows, distance, matrixOf } from "./matrices.js";

/** The same in plain float64, without bounds. */
function plain(rows: readonly Float32Array[], clusters: number, random: Uniforms) {
  const centres: number[] = [];
  let squares = rows.map(() => Infinity);
  for (let c = 0; c < clusters; c++) {
    const total = squares.reduce((a, b) => a + b, 0);
    const trials = Array.from({ length: c === 0 ? 1 : 2 + Math.floor(Math.log(clusters)) }, () => {
      if (c === 0) return random.below(rows.length);
      const target = random.uniform() * total;
      let sum = 0;
      return squares.findIndex((square) => {
        sum += square;
        return sum > target;
      });
    });
    const after = trials.map((t) => squares.map((s, i) => Math.min(s, distance(rows[i], rows[t]) ** 2)));
    const potentials = after.map((list) => list.reduce((a, b) => a + b, 0));
    const best = potentials.indexOf(Math.min(...potentials));
    centres.push(trials[best]);
    squares = after[best];
  }
  return centres;
}

describe("k-means++", () => {
  it.each([0, 1, 2, 3, 4])(
    "chooses the rows that plain float64 arithmetic chooses (seed %i)",
    async (seed) => {
      const rows = clusteredRows(seed, 300, 37, 6);
      const seeds = await kMeansPlusPlus(await matrixOf(rows), 25, stream(seed, "seeding"));
      expect(Array.from(seeds.centres)).toEqual(plain(rows, 25, stream(seed, "seeding")));
    },
  );

  it.each([1, 11])("says which chosen row is nearest, in %i columns", async (columns) => {
    const rows = clusteredRows(7, 200, columns, 4);
    const { centres, nearest } = await kMeansPlusPlus(await matrixOf(rows), 8, stream(1, "seeding"));
    rows.forEach((row, i) => {
      const all = Array.from(centres, (centre) => distance(row, rows[centre]));
      expect(all[nearest[i]]).toBeCloseTo(Math.min(...all), 5);
    });
  });

  it("draws rows in proportion to their squared distance", async () => {
    // From a first centre at 0 the rows 0, 1 and 3 have weights 0, 1 and 9; two clusters mean two trials,
    // of which the row at 3 wins whenever it is among them: it is not with probability 0.1^2.
    const matrix = await matrixOf([[0], [1], [3]]);
    let first = 0;
    let far = 0;
    for (let seed = 0; seed < 4000; seed++) {
      const { centres } = await kMeansPlusPlus(matrix, 2, stream(seed, "seeding"));
      if (centres[0] !== 0) continue;
      first += 1;
      if (centres[1] === 2) far += 1;
    }
    expect(Math.abs(first / 4000 - 1 / 3)).toBeLessThan(0.03);
    expect(Math.abs(far / first - 0.99)).toBeLessThan(0.01);
  });

  it("never draws a copy of a centre", async () => {
    const rows = clusteredRows(3, 10, 16, 2);
    const copies = Array.from({ length: 200 }, (_, i) => rows[i % 10]);
    const { centres } = await kMeansPlusPlus(await matrixOf(copies), 10, stream(0, "seeding"));
    expect(new Set(Array.from(centres, (centre) => centre % 10)).size).toBe(10);
  });

  it("names the number of distinct rows when there are too few", async () => {
    const rows = clusteredRows(3, 6, 5, 2);
    const copies = Array.from({ length: 60 }, (_, i) => rows[i % 6]);
    await expect(kMeansPlusPlus(await matrixOf(copies), 7, stream(0, "seeding"))).rejects.toThrow(
      new DataError("7 bins need as many distinct responses, and there are only 6: ask for at most 6"),
    );
  });
});
