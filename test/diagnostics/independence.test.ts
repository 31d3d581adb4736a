import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { chiSquare, dependenceScore, momentsUnderIndependence } from "../../src/diagnostics/independence.js";
import { costMatrix } from "../../src/numerics/cost-matrix.js";
import { countTable } from "../../src/partition/assignment.js";
import { partitionBins } from "../../src/partition/partition.js";
import { shuffle } from "../../src/random/permutation.js";
import { stream } from "../../src/random/stream.js";

/** A table with these margins, drawn without regard to bins. */
function independent(rows: readonly number[], columns: readonly number[], seed: number): number[][] {
  const bins = shuffle(
    stream(seed, "independent"),
    columns.flatMap((size, bin) => new Array<number>(size).fill(bin)),
  );
  let at = 0;
  return rows.map((size) => {
    const row = columns.map(() => 0);
    for (const bin of bins.slice(at, at + size)) row[bin]++;
    at += size;
    return row;
  });
}

const BINS = 8;
const cost = costMatrix(
  Array.from({ length: BINS * BINS }, (_, i) => Math.abs(Math.floor(i / BINS) - (i % BINS))),
  BINS,
);
const COLUMNS = [50, 120, 90, 100, 110, 130, 80, 120];
/** Sizes in proportion to 1, 2, ..., 10: Flower's LinearPartitioner. */
const LINEAR = Array.from({ length: 10 }, (_, i) => Math.floor((800 * (i + 1)) / 55));
LINEAR[9] += 800 - LINEAR.reduce((a, b) => a + b, 0);

describe("the test of independence", () => {
  it("has the exact moments of chi-square for fixed margins, also of sparse tables", () => {
    for (const [rows, columns] of [
      [
        [30, 5, 3, 2],
        [20, 10, 6, 4],
      ],
      [
        [10, 10, 10],
        [1, 9, 20],
      ],
    ]) {
      const total = rows.reduce((a, b) => a + b);
      const draws = Array.from({ length: 6000 }, (_, seed) => chiSquare(independent(rows, columns, seed)));
      const mean = draws.reduce((a, b) => a + b) / draws.length;
      const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
      const exact = momentsUnderIndependence(rows, columns, total);
      expect(Math.abs(mean / exact.mean - 1)).toBeLessThan(0.03);
      expect(Math.abs(variance / exact.variance - 1)).toBeLessThan(0.1);
    }
  });

  it("takes one table in a hundred for a dependent one that is none", () => {
    const scores = Array.from({ length: 2000 }, (_, seed) =>
      dependenceScore(independent(LINEAR, COLUMNS, seed)),
    );
    const share = scores.filter((score) => score > 2.326).length / scores.length;
    expect(share).toBeGreaterThan(0.003);
    expect(share).toBeLessThan(0.02);
  });

  it("notices bins and passes over empty clients", () => {
    expect(
      dependenceScore([
        [40, 0],
        [0, 40],
      ]),
    ).toBeGreaterThan(5);
    expect(
      dependenceScore([
        [40, 0],
        [0, 40],
        [0, 0],
      ]),
    ).toBe(
      dependenceScore([
        [40, 0],
        [0, 40],
      ]),
    );
    expect(
      dependenceScore([
        [10, 0],
        [20, 0],
      ]),
    ).toBe(0);
  });
});

describe("alpha_implied", () => {
  it("is left out, with a word, where clients differ in size alone", () => {
    const found = diagnose({ counts: independent(LINEAR, COLUMNS, 5), cost });
    expect(found.metrics.alpha_implied).toBeNull();
    expect(found.notes.join()).toContain("a split that ignores bins");
  });

  it("stays where bins were dealt by a Dirichlet draw, of which nothing but the counts is known", () => {
    const binOfSample = Int32Array.from(COLUMNS.flatMap((size, bin) => new Array<number>(size).fill(bin)));
    for (const alpha of [0.1, 1]) {
      const partition = partitionBins(binOfSample, { clients: 10, bins: BINS, alpha, seed: 4, minSize: 1 });
      const { metrics, notes } = diagnose({ counts: countTable(partition), cost });
      expect(metrics.alpha_implied).toBeGreaterThan(alpha / 3);
      expect(metrics.alpha_implied).toBeLessThan(alpha * 3);
      expect(notes).toEqual([]);
    }
  });

  it("is qualified where sizes make most of H_u though bins matter a little", () => {
    const counts = independent(LINEAR, COLUMNS, 5);
    for (let client = 0; client < 5; client++) {
      const [from, to] = client % 2 ? [0, 1] : [1, 0];
      const moved = Math.min(counts[client][from], counts[9 - client][to]);
      counts[client][from] -= moved;
      counts[client][to] += moved;
      counts[9 - client][from] += moved;
      counts[9 - client][to] -= moved;
    }
    const { metrics, notes } = diagnose({ counts, cost });
    expect(metrics.alpha_implied).not.toBeNull();
    expect(notes.join()).toMatch(/Unequal client sizes make up \d+ % of h_u_realised/);
  });
});
