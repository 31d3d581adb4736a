import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { checkBins, readCentroids, readCost, readCounts } from "../../src/exchange/statistics.js";
import { bytesInMemory } from "../../src/files/byte-source.js";

/** Aggregate statistics as other tools keep them: scripts/golden/foreign.py. */
const golden = (name: string) =>
  bytesInMemory(readFileSync(new URL(`../golden/foreign/${name}`, import.meta.url)), name);
const text = (content: string, name = "t.csv") => bytesInMemory(new TextEncoder().encode(content), name);
const counts = [
  [3, 0, 0],
  [0, 2, 2],
  [1, 1, 1],
];
const cost = [
  [0, 1, 2],
  [1, 0, 1.5],
  [2, 1.5, 0],
];

describe("a count table", () => {
  it.each([
    "counts-fedlab.csv",
    "counts-pandas.csv",
    "counts-plain.csv",
    "counts.npy",
    "counts.json",
    "counts-dict.json",
    "statistics.npz",
    "distribution.txt",
    "niid-bench-tuple.pkl",
  ])("is read from %s", async (name) => {
    const table = await readCounts(golden(name));
    expect(table.counts).toEqual(counts);
    expect(table.clientNames).toEqual(["0", "1", "2"]);
  });

  it("keeps the names of clients and bins", async () => {
    const table = await readCounts(text("client,low,high\nA,1,2\nB,3,4\n"));
    expect(table).toEqual({ clientNames: ["A", "B"], binNames: ["low", "high"], counts: [[1, 2], [3, 4]] }); // biome-ignore format: a table
    const bare = await readCounts(text("A,1,2\nB,3,4\n"));
    expect(bare).toEqual({ ...table, binNames: ["0", "1"] });
  });

  it("fills in the bins that a dict leaves out", async () => {
    expect((await readCounts(text('{"a": {"0": 1}, "b": {"2": 5}}', "t.json"))).counts).toEqual([
      [1, 0, 0],
      [0, 0, 5],
    ]);
  });

  it.each([
    ["a negative count", "1,2\n3,-4\n", "client 1 has -4 samples of bin 1"],
    ["a broken count", "1,2\n3,0.5\n", "client 1 has 0.5 samples of bin 1"],
    ["a word", "a,b\n1,2\n3,x\n", 'row 2: "x" is not a number'],
    ["zeros alone", "0,0\n0,0\n", "all counts are zero"],
    ["a ragged table", "1,2\n3\n", "line 2: 1 cells"],
    ["nothing", "", "is empty"],
  ])("is refused for %s", async (_, content, message) => {
    await expect(readCounts(text(content))).rejects.toThrow(message);
  });

  it("is refused where JSON holds something else, or rows of different length", async () => {
    await expect(readCounts(text('{"alpha": 1}', "t.json"))).rejects.toThrow(
      't.json holds no matrix "counts"',
    );
    await expect(readCounts(text("[[1, 2], [3]]", "t.json"))).rejects.toThrow(
      "row 1 has 1 values, the first has 2",
    );
    await expect(readCounts(golden("statistics.npz"), { key: "n" })).rejects.toThrow(
      'has no "n"; it has counts, cost',
    );
  });

  it("must have as many bins as the costs", async () => {
    const table = await readCounts(golden("counts.npy"));
    expect(() => checkBins(table, 3, "counts.npy", "cost.csv")).not.toThrow();
    expect(() => checkBins(table, 4, "counts.npy", "cost.csv")).toThrow(
      "counts.npy has 3 bins, but cost.csv has 4",
    );
  });
});

describe("a cost matrix", () => {
  it.each(["cost.csv", "statistics.npz"])("is read from %s", async (name) => {
    expect(await readCost(golden(name))).toEqual(cost);
  });

  it("is read from a partition file", async () => {
    expect(await readCost(text(JSON.stringify({ counts, cost }), "p.json"))).toEqual(cost);
  });

  it.each([
    ["one that is not square", "0,1\n1,0\n2,2\n", "a cost matrix is square, this one is 3x2"],
    ["one that is not symmetric", "0,1\n2,0\n", "from bin 0 to 1 is 1, but back it is 2"],
    ["a negative cost", "0,-1\n-1,0\n", "from bin 0 to 1 is -1"],
    ["a cost that is not finite", "0,inf\ninf,0\n", "from bin 0 to 1 is Infinity"],
    ["NaN", "0,nan\nnan,0\n", "from bin 0 to 1 is NaN"],
    ["a diagonal that is not zero", "1,2\n2,0\n", "from bin 0 to itself is 1, not 0"],
  ])("is refused for %s", async (_, content, message) => {
    await expect(readCost(text(content))).rejects.toThrow(message);
    await expect(readCost(text(content))).rejects.toThrow(DataError);
  });

  it("may miss symmetry by the rounding of its text", async () => {
    await expect(readCost(text("0,1.00000000001\n1,0\n"))).resolves.toBeDefined();
  });
});

describe("centroids", () => {
  it("are read, one row a bin, from arrays of any rank", async () => {
    const rows = await readCentroids(golden("statistics.npz"));
    expect(rows).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]); // biome-ignore format: a matrix
    expect(await readCentroids(text("[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "c.json"))).toHaveLength(2);
    expect(await readCentroids(text("0.5\n1.5\n"))).toEqual([[0.5], [1.5]]);
  });

  it("are refused for a value that is not finite", async () => {
    await expect(readCentroids(text("1,2\nnan,3\n"))).rejects.toThrow("the centroid of bin 1 has a value");
  });
});
