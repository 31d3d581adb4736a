import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fewestGroups, sampleGroups } from "../../src/partition/groups.js";
import { partitionBins } from "../../src/partition/partition.js";
import { REPAIR_RULES } from "../../src/partition/repair.js";

/** Bins and groups of samples; groups have different sizes and may lie anywhere. */
const grouped = fc
  .record({ groups: fc.integer({ min: 4, max: 14 }), bins: fc.integer({ min: 1, max: 4 }) })
  .chain(({ groups, bins }) =>
    fc.record({
      bins: fc.constant(bins),
      // Every group has a sample at least.
      groupOfSample: fc
        .array(fc.nat(groups - 1), { maxLength: 40 })
        .map((more) => Int32Array.from([...Array(groups).keys(), ...more])),
      binSeed: fc.infiniteStream(fc.nat(bins - 1)),
      clients: fc.integer({ min: 2, max: 4 }),
      minSize: fc.integer({ min: 1, max: 3 }),
      alpha: fc.constantFrom(0.01, 0.3, 1, 100),
      seed: fc.nat(1000),
      repair: fc.constantFrom(...REPAIR_RULES),
    }),
  )
  .map(({ binSeed, ...rest }) => ({
    ...rest,
    binOfSample: Int32Array.from(rest.groupOfSample, () => binSeed.next().value!),
  }));

describe("samples of a group", () => {
  it("stay together in a partition that covers all samples and fills every client, the same for the same seed", () => {
    let made = 0;
    fc.assert(
      fc.property(grouped, ({ groupOfSample, binOfSample, ...options }) => {
        const { clients, minSize } = options;
        const run = () => partitionBins(binOfSample, options, groupOfSample);
        const groups = sampleGroups(groupOfSample, binOfSample);
        const smallest = Math.min(...groups.sizes);
        if (groups.sizes.length < clients * Math.ceil(minSize / smallest)) {
          expect(run).toThrow(/cannot give \d+ clients at least/);
          return;
        }
        made++;
        const { clientOfSample, repairs, target, binOfSample: bins } = run();
        const clientOfGroup = new Map<number, number>();
        clientOfSample.forEach((client, sample) => {
          const known = clientOfGroup.get(groupOfSample[sample]) ?? client;
          expect(client).toBe(known);
          clientOfGroup.set(groupOfSample[sample], client);
        });
        expect(bins).toEqual(binOfSample);
        const sizes = Array.from(
          { length: clients },
          (_, client) => clientOfSample.filter((one) => one === client).length,
        );
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(minSize);
        expect(sizes.reduce((a, b) => a + b)).toBe(groupOfSample.length);
        for (const histogram of target) expect(histogram.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
        // Whoever moves, moves with the whole group.
        const moved = new Set(repairs.map(({ sample }) => groupOfSample[sample]));
        for (const { sample, bin } of repairs) expect(bin).toBe(binOfSample[sample]);
        expect(new Set(repairs.map(({ sample }) => sample)).size).toBe(
          groupOfSample.filter((group) => moved.has(group)).length,
        );
        expect(run().clientOfSample).toEqual(clientOfSample);
      }),
      { numRuns: 200 },
    );
    expect(made).toBeGreaterThan(50);
  });

  it("are split as without groups where every sample is a group of its own", () => {
    fc.assert(
      fc.property(grouped, ({ groupOfSample, binOfSample, ...options }) => {
        const alone = Int32Array.from(groupOfSample.keys());
        fc.pre(binOfSample.length >= options.clients * options.minSize);
        expect(partitionBins(binOfSample, options, alone)).toEqual(partitionBins(binOfSample, options));
      }),
      { numRuns: 100 },
    );
  });

  it("have the bin of most of them, of several that of the first sample", () => {
    const { sizes, binOfGroup } = sampleGroups(
      Int32Array.of(0, 1, 0, 1, 0, 2, 2),
      Int32Array.of(3, 2, 1, 0, 1, 0, 3),
    );
    expect([...sizes]).toEqual([3, 2, 2]);
    expect([...binOfGroup]).toEqual([1, 2, 0]);
  });

  it("may be too few or too small for the clients, which is said with a way out", () => {
    const groups = sampleGroups(Int32Array.of(0, 0, 1, 1, 2, 2), new Int32Array(6));
    expect(fewestGroups(groups, 3, 2)).toBe(1);
    expect(() => fewestGroups(groups, 2, 3)).toThrow("take fewer clients, or a minimum size of 2");
    expect(() => fewestGroups(groups, 4, 1)).toThrow("take at most 3 clients");
    expect(() => sampleGroups(new Int32Array(3), new Int32Array(4))).toThrow(
      "there are groups of 3 samples, but bins of 4",
    );
  });
});
