import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OptionError } from "../../src/errors.js";
import { allocate } from "../../src/partition/allocate.js";
import { countTable, indicesOfClients } from "../../src/partition/assignment.js";
import { partitionBins } from "../../src/partition/partition.js";
import { REPAIR_RULES, type RepairRule } from "../../src/partition/repair.js";
import { verifyExactCover } from "../../src/partition/verify.js";

/** Bins of very different size, some of them empty. */
const problems = fc
  .record({
    clients: fc.integer({ min: 2, max: 200 }),
    minSize: fc.integer({ min: 1, max: 16 }),
    sizes: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }), fc.constant(1)), {
      minLength: 1,
      maxLength: 30,
    }),
    repair: fc.constantFrom(...REPAIR_RULES),
    logAlpha: fc.double({ min: -4, max: 6, noNaN: true }),
    seed: fc.integer({ min: 0, max: 2 ** 40 }),
  })
  .map(({ clients, minSize, sizes, repair, logAlpha, seed }) => {
    const binOfSample = sizes.flatMap((size, bin) => new Array<number>(size).fill(bin));
    while (binOfSample.length < clients * minSize) binOfSample.push(binOfSample.length % sizes.length);
    return {
      binOfSample: Int32Array.from(binOfSample),
      options: { clients, bins: sizes.length, alpha: 10 ** logAlpha, seed, minSize, repair },
    };
  });

describe("a partition", () => {
  it("gives every sample to exactly one client and no client fewer than the minimum", () => {
    fc.assert(
      fc.property(problems, ({ binOfSample, options }) => {
        const partition = partitionBins(binOfSample, options);
        const indices = indicesOfClients(partition);
        expect(indices.flat().sort((a, b) => a - b)).toEqual([...binOfSample.keys()]);
        for (const held of indices) expect(held.length).toBeGreaterThanOrEqual(options.minSize);
      }),
      { numRuns: 150 },
    );
  });

  it("can be replayed from the draw and the log of repairs, each of which lifts a client that was short", () => {
    fc.assert(
      fc.property(problems, ({ binOfSample, options }) => {
        const repaired = partitionBins(binOfSample, options);
        const owners = [...repaired.clientOfSample];
        for (const { sample, bin, from, to } of [...repaired.repairs].reverse()) {
          expect(owners[sample]).toBe(to);
          expect(binOfSample[sample]).toBe(bin);
          owners[sample] = from;
          const sizes = new Map<number, number>();
          for (const owner of owners) sizes.set(owner, (sizes.get(owner) ?? 0) + 1);
          expect(sizes.get(to) ?? 0).toBeLessThan(options.minSize);
          expect(sizes.get(from)).toBeGreaterThan(options.minSize);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("draws proportions that sum to one in every bin and targets that sum to one for every client", () => {
    fc.assert(
      fc.property(problems, ({ binOfSample, options }) => {
        const { proportions, target } = partitionBins(binOfSample, options);
        for (let bin = 0; bin < options.bins; bin++) {
          expect(proportions.reduce((sum, row) => sum + row[bin], 0)).toBeCloseTo(1, 10);
        }
        for (const row of target) expect(row.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
      }),
      { numRuns: 50 },
    );
  });

  it("is the same for the same seed and another for another", () => {
    const binOfSample = Int32Array.from({ length: 400 }, (_, sample) => sample % 7);
    const options = { clients: 8, bins: 7, alpha: 0.3, seed: 5, minSize: 4 };
    expect(partitionBins(binOfSample, options)).toEqual(partitionBins(binOfSample, options));
    expect(partitionBins(binOfSample, { ...options, seed: 6 }).clientOfSample).not.toEqual(
      partitionBins(binOfSample, options).clientOfSample,
    );
  });

  it("gives a bin to few clients at a small alpha and shares it at a large one", () => {
    const binOfSample = Int32Array.from({ length: 2000 }, (_, sample) => sample % 10);
    const owners = (alpha: number) =>
      countTable(partitionBins(binOfSample, { clients: 10, bins: 10, alpha, seed: 1, minSize: 1 }))
        .flat()
        .filter((count) => count > 0).length;
    expect(owners(1e-4)).toBeLessThan(25);
    expect(owners(1e6)).toBe(100);
  });

  it("stays closer to its draw when the closest client gives than when the largest does", () => {
    const binOfSample = Int32Array.from({ length: 1000 }, (_, sample) => sample % 10);
    const error = (seed: number, repair: RepairRule) => {
      const partition = partitionBins(binOfSample, { clients: 10, bins: 10, alpha: 0.01, seed, repair });
      return countTable(partition).reduce((sum, row, client) => {
        const size = row.reduce((a, b) => a + b, 0);
        return (
          sum + row.reduce((a, count, bin) => a + Math.abs(count / size - partition.target[client][bin]), 0)
        );
      }, 0);
    };
    for (const seed of [0, 1, 42, 999, 2026])
      expect(error(seed, "closest")).toBeLessThan(error(seed, "largest"));
  });

  it.each(REPAIR_RULES)("takes samples by chance, not in the order of the file, when %s gives", (repair) => {
    const binOfSample = Int32Array.from({ length: 1000 }, (_, sample) => sample % 5); // each bin sorted by index
    const ranks: number[] = [];
    for (let seed = 0; seed < 60; seed++) {
      const options = { clients: 10, bins: 5, alpha: 0.05, seed, repair };
      const { clientOfSample } = allocate(binOfSample, options);
      for (const { sample, bin, from } of partitionBins(binOfSample, options).repairs) {
        if (clientOfSample[sample] !== from) continue; // a sample that had come to its giver by a repair
        const held = [...binOfSample.keys()].filter(
          (i) => clientOfSample[i] === from && binOfSample[i] === bin,
        );
        if (held.length > 50) ranks.push(held.indexOf(sample) / (held.length - 1));
      }
    }
    expect(ranks.length).toBeGreaterThan(500);
    ranks.sort((a, b) => a - b);
    // The largest distance of their distribution from the uniform one (Kolmogorov and Smirnov).
    const distance = Math.max(...ranks.map((rank, i) => Math.abs(rank - (i + 0.5) / ranks.length)));
    expect(distance).toBeLessThan(1.63 / Math.sqrt(ranks.length) + 0.01); // 1 %, and ranks are of whole samples
  });

  it("moves the same number of samples of each bin between the same clients whatever the order of the file", () => {
    fc.assert(
      fc.property(problems, ({ binOfSample, options }) => {
        const turned = binOfSample.slice().reverse();
        const moves = (bins: Int32Array) =>
          partitionBins(bins, options).repairs.map(({ bin, from, to }) => [bin, from, to]);
        expect(moves(turned)).toEqual(moves(binOfSample));
      }),
      { numRuns: 30 },
    );
  });

  it("holds for 80 samples over 10 clients with a minimum of 4 at every alpha of the paper", () => {
    const binOfSample = Int32Array.from({ length: 80 }, (_, sample) => sample % 10);
    for (const alpha of [100, 10, 1, 0.1, 0.01]) {
      for (const seed of [0, 1, 42, 999, 2026]) {
        const partition = partitionBins(binOfSample, { clients: 10, bins: 10, alpha, seed, minSize: 4 });
        expect(Math.min(...indicesOfClients(partition).map((held) => held.length))).toBeGreaterThanOrEqual(4);
      }
    }
  });

  it.each([
    [{ alpha: 0 }, /alpha is a number from 1e-6 to 1e9, not 0/],
    [{ alpha: -1 }, /not -1/],
    [{ alpha: Number.NaN }, /not NaN/],
    [{ clients: 1 }, /clients is a whole number from 2 on, not 1/],
    [{ clients: 2.5 }, /not 2.5/],
    [{ minSize: 0 }, /not 0/],
    [{ seed: -1 }, /seed/],
    [{ minSize: 11 }, /100 samples cannot give 10 clients at least 11 each: a minimum size of 10 would do/],
    [{ clients: 101 }, /take at most 100 clients/],
  ])("refuses %j", (wrong, message) => {
    const binOfSample = Int32Array.from({ length: 100 }, (_, sample) => sample % 5);
    const options = { clients: 10, bins: 5, alpha: 1, seed: 0, minSize: 4, ...wrong };
    expect(() => partitionBins(binOfSample, options)).toThrow(OptionError);
    expect(() => partitionBins(binOfSample, options)).toThrow(message);
  });
});

describe("the check of an exact cover", () => {
  const binOfSample = new Int32Array(4);
  it("notices a client below the minimum", () => {
    const assignment = { clients: 2, bins: 1, clientOfSample: Int32Array.of(0, 0, 0, 1), binOfSample };
    expect(() => verifyExactCover(assignment, 2)).toThrow(/client 1 holds 1 samples/);
  });
  it("notices lengths that disagree", () => {
    const assignment = { clients: 2, bins: 1, clientOfSample: Int32Array.of(0, 1, 0), binOfSample };
    expect(() => verifyExactCover(assignment, 1)).toThrow(/3 samples have a client but 4 have a bin/);
  });
});
