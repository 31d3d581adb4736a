import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { OptionError, UserError } from "../../src/errors.js";
import { costMatrix } from "../../src/numerics/cost-matrix.js";
import { givable, type Option, type OptionValue, takes } from "../../src/options/option.js";
import { countTable } from "../../src/partition/assignment.js";
import { SIZE_OPTIONS } from "../../src/partition/client-sizes.js";
import {
  checkOptions,
  drawPartition,
  intentionOf,
  type PartitionerData,
  type PartitionOptions,
  partitionBins,
} from "../../src/partition/partition.js";
import type { Partitioner, PartitionerChoice } from "../../src/partition/partitioner.js";
import { DIRICHLET_OPTIONS } from "../../src/partition/partitioners/dirichlet.js";
import {
  PARTITIONER_NAMES,
  PARTITIONERS,
  type PartitionerName,
  takesAlpha,
} from "../../src/partition/partitioners.js";

const BINS = 4;
const SAMPLES = 120;
const binOfSample = Int32Array.from({ length: SAMPLES }, (_, i) => i % BINS);

/** Everything that a partitioner may want to know of samples. */
function dataOf(bins: Int32Array, count: number, groups?: Int32Array): PartitionerData {
  const group = (sample: number) => groups?.[sample] ?? sample;
  return {
    bins: count,
    binOfSample: bins,
    groups,
    attribute: Float64Array.from(bins, (_, sample) => (group(sample) * 7) % 31),
    inputBins: bins.map((_, sample) => group(sample) % 3),
    clients: {
      clientOfSample: bins.map((_, sample) => group(sample) % 5),
      clientNames: ["a", "b", "c", "d", "e"],
    },
  };
}

/** Options that every partitioner needs to have, besides those of all. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> = {
  by: { by: "beta", ranges: true },
  file: { file: "p.json" },
  "input-bins": { input_bins: 3 },
};

const choiceOf = (name: string): PartitionerChoice => ({ name, ...NEEDED[name] });

function optionsOf(name: string, given: Partial<PartitionOptions> = {}): Omit<PartitionOptions, "bins"> {
  return {
    clients: 5,
    seed: 3,
    minSize: 4,
    alpha: takesAlpha(name) ? 0.5 : null,
    partitioner: choiceOf(name),
    ...given,
  };
}

const data = dataOf(binOfSample, BINS);
/** Partitioners whose clients do not depend on the seed. */
const UNSEEDED = ["by", "file"];

describe.each(PARTITIONER_NAMES)("the partitioner %s", (name) => {
  const { options, describe: words }: Partitioner = PARTITIONERS[name];

  it("gives every sample to one client, and the same clients for the same seed", () => {
    const partition = drawPartition(data, optionsOf(name));
    const total = countTable(partition)
      .flat()
      .reduce((a, b) => a + b);
    expect(total).toBe(SAMPLES);
    expect(drawPartition(data, optionsOf(name))).toEqual(partition);
    const other = drawPartition(data, optionsOf(name, { seed: 4 })).clientOfSample;
    if (UNSEEDED.includes(name)) expect(other).toEqual(partition.clientOfSample);
    else expect(other).not.toEqual(partition.clientOfSample);
  });

  it("keeps its promises for any data, options and groups, or refuses in one line", () => {
    let made = 0;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 60, maxLength: 200 }),
        fc.integer({ min: 0, max: 2 ** 53 - 1 }),
        fc.constantFrom(1, 2, 5),
        fc.constantFrom(0.01, 0.3, 10),
        fc.constantFrom("closest", "largest"),
        fc.integer({ min: 1, max: 12 }),
        anyOptions(name),
        (bins, seed, groupSize, alpha, repair, minSize, values) => {
          const samples = bins.length - (bins.length % (5 * groupSize));
          const labels = Int32Array.from(bins.slice(0, samples));
          const groups = labels.map((_, sample) => Math.floor(sample / groupSize));
          const all = dataOf(labels, 6, groupSize === 1 ? undefined : groups);
          const given = optionsOf(name, {
            ...{ seed, minSize, repair: repair as "closest" },
            ...(takesAlpha(name) && { alpha }),
            partitioner: { ...choiceOf(name), ...values },
          });
          const partition = attempt(() => drawPartition(all, given));
          if (!partition) return;
          made++;
          expect(drawPartition(all, reversedKeys(given))).toEqual(partition);
          expect(partition.clientOfSample.every((client) => client >= 0 && client < 5)).toBe(true);
          const sizes = sizesOf(partition);
          expect(Math.min(...sizes)).toBeGreaterThanOrEqual(minSize);
          const clientOf = new Map<number, number>();
          partition.clientOfSample.forEach((client, sample) => {
            expect(clientOf.get(groups[sample]) ?? client).toBe(client);
            clientOf.set(groups[sample], client);
          });
          const intention = intentionOf(partition);
          for (const histogram of intention?.target ?? []) {
            expect(histogram).toHaveLength(6);
            expect(Math.min(...histogram)).toBeGreaterThanOrEqual(0);
            expect(histogram.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
          }
          if (!intention?.sizes) return;
          expect(Array.from(intention.sizes).reduce((a, b) => a + b)).toBe(samples);
          if (groupSize === 1 && partition.repairs.length === 0)
            expect(sizes).toEqual(Array.from(intention.sizes));
        },
      ),
      { numRuns: 100 },
    );
    expect(made).toBeGreaterThan(15); // most are no refusals
  });

  it("refuses what no partition can satisfy", () => {
    const check = (given: Partial<PartitionOptions>) => checkOptions(SAMPLES, optionsOf(name, given));
    expect(() => check({ minSize: 25 })).toThrow(OptionError);
    expect(() => check({ clients: 1 })).toThrow(OptionError);
    expect(() => check({ alpha: takesAlpha(name) ? null : 0.1 })).toThrow(/alpha/);
    expect(() => check({})).not.toThrow();
  });

  it("describes itself and its options in plain lines", () => {
    expect(words).toMatch(/^[a-zA-Z].*[^.]$/);
    for (const option of Object.values(options)) expect(option.help).toMatch(/^[^\n]+$/);
  });
});

/** A result, or undefined where options were refused, which takes one line. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).toMatch(/^[^\n]{10,}$/);
    return undefined;
  }
}

const sizesOf = (partition: Parameters<typeof countTable>[0]) =>
  countTable(partition).map((row) => row.reduce((a, b) => a + b, 0));

/** Values of the options that a partitioner declares, each given or left out: a new entry is covered as it is. */
function anyOptions(name: PartitionerName): fc.Arbitrary<Record<string, OptionValue>> {
  const { alpha: _, ...options } = givable(PARTITIONERS[name].options);
  const arbitrary = (option: Option): fc.Arbitrary<OptionValue> => {
    switch (option.kind) {
      case "whole":
        return fc.integer({ min: option.from, max: Math.min(option.to ?? Infinity, option.from + 3) });
      case "number":
        return fc.double({ min: option.from, max: Math.min(option.to, option.from + 3), noNaN: true });
      case "choice":
        return fc.constantFrom(...option.values);
      case "flag":
        return fc.boolean();
      case "text":
        return fc.constantFrom(...(TEXTS[option.help] ?? [option.default ?? "text"]));
    }
  };
  const free = Object.entries(options).filter(([option]) => !(option in choiceOf(name)));
  return fc.record(Object.fromEntries(free.map(([option, declared]) => [option, arbitrary(declared)])), {
    requiredKeys: [],
  }) as fc.Arbitrary<Record<string, OptionValue>>;
}

/** Texts that an option takes, where there are more than its default. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  [SIZE_OPTIONS.sizes.help]: ["equal", "linear", "square", "exponential", "lognormal", "dirichlet"],
};

/** The same options in another order of their keys. */
function reversedKeys<T extends object>(given: T): T {
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    value !== null && typeof value === "object" ? reversedKeys(value) : value,
  ]);
  return Object.fromEntries(entries.reverse()) as T;
}

describe("the Dirichlet partitioner", () => {
  it("is the library's partitionBins", () => {
    const options = { clients: 5, alpha: 0.5, seed: 3, minSize: 4 };
    expect(drawPartition({ bins: BINS, binOfSample }, options)).toEqual(
      partitionBins(binOfSample, { ...options, bins: BINS }),
    );
  });

  it("declares the range of alpha that it accepts", () => {
    for (const alpha of [0, 1e-7, 1e-6, 0.1, 1e9, 2e9, Number.NaN]) {
      const check = () => checkOptions(SAMPLES, { clients: 5, minSize: 4, alpha });
      if (takes(DIRICHLET_OPTIONS.alpha, alpha)) expect(check).not.toThrow();
      else expect(check).toThrow(OptionError);
    }
  });
});

describe("iid and sizes", () => {
  const split = (partitioner: PartitionerChoice, clients = 5, minSize = 1) =>
    drawPartition(data, { clients, seed: 1, minSize, partitioner });

  it("cuts equal clients that differ by one sample at most", () => {
    expect(sizesOf(split({ name: "iid" }, 7))).toEqual([18, 17, 17, 17, 17, 17, 17]);
  });

  it("has sizes in proportion to a client's number, its square and its exponential", () => {
    const sizes = (law: string) => sizesOf(split({ name: "sizes", sizes: law }));
    expect(sizes("linear")).toEqual([8, 16, 24, 32, 40]);
    expect(sizes("square")).toEqual([2, 9, 20, 35, 54]);
    const weights = [1, 2, 3, 4, 5].map(Math.exp);
    const total = weights.reduce((a, b) => a + b);
    sizes("exponential").forEach((size, client) => {
      expect(Math.abs(size - (120 * weights[client]) / total)).toBeLessThan(1);
    });
  });

  it("takes given sizes and shares, and refuses those that do not fit", () => {
    expect(sizesOf(split({ name: "sizes", sizes: "60,30,20,5,5" }))).toEqual([60, 30, 20, 5, 5]);
    expect(sizesOf(split({ name: "sizes", sizes: "0.5,0.25,0.125,0.0625,0.0625" }))).toEqual([
      60, 30, 15, 8, 7,
    ]);
    expect(() => split({ name: "sizes", sizes: "60,30" })).toThrow(/2 sizes for 5 clients/);
    expect(() => split({ name: "sizes", sizes: "60,30,20,5,6" })).toThrow(/sum to 121.*120 samples/);
    expect(() => split({ name: "sizes", sizes: "60,30,x,5,6" })).toThrow(/not "60,30,x,5,6"/);
  });

  it("draws lognormal and Dirichlet sizes anew for every seed, and repairs small clients", () => {
    for (const law of ["lognormal", "dirichlet"]) {
      const all = [1, 2, 3].map((seed) =>
        sizesOf(
          drawPartition(data, {
            ...{ clients: 5, seed, minSize: 10 },
            partitioner: { name: "sizes", sizes: law, sigma: 2, size_alpha: 0.3 },
          }),
        ).join(),
      );
      expect(new Set(all).size).toBe(3);
      for (const sizes of all) expect(Math.min(...sizes.split(",").map(Number))).toBeGreaterThanOrEqual(10);
    }
  });

  it("refuses groups that are larger than a client", () => {
    const groups = binOfSample.map((_, sample) => Math.floor(sample / 30));
    const grouped = { ...dataOf(binOfSample, BINS, groups), groups };
    expect(() =>
      drawPartition(grouped, { clients: 4, minSize: 1, partitioner: { name: "iid" } }),
    ).not.toThrow();
    expect(() =>
      drawPartition(grouped, { clients: 4, minSize: 1, partitioner: { name: "sizes", sizes: "linear" } }),
    ).toThrow(/a group of 30 samples stays together, but a client should hold 12/);
  });
});

describe("shards and pathological", () => {
  it("gives every client its number of shards: at most one bin more than shards", () => {
    const partition = drawPartition(data, {
      ...{ clients: 6, seed: 2, minSize: 1 },
      partitioner: { name: "shards", shards: 2 },
    });
    for (const row of countTable(partition)) {
      expect(row.reduce((a, b) => a + b)).toBe(20);
      expect(row.filter((count) => count > 0).length).toBeLessThanOrEqual(4);
    }
  });

  it("intends the sizes of the shards that a client is dealt", () => {
    const odd = dataOf(binOfSample.subarray(0, 113), BINS);
    const partition = drawPartition(odd, {
      ...{ clients: 5, seed: 2, minSize: 1 },
      partitioner: { name: "shards", shards: 3 },
    });
    expect(Array.from(partition.sizes!)).toEqual(sizesOf(partition));
    expect(new Set(sizesOf(partition)).size).toBeGreaterThan(1);
  });

  it("gives every client its number of bins, and every bin to nearly as many clients", () => {
    const split = (clients: number, each: number) =>
      countTable(
        drawPartition(data, {
          ...{ clients, seed: 2, minSize: 1 },
          partitioner: { name: "pathological", bins_per_client: each },
        }),
      );
    for (const [clients, each] of [
      [6, 2],
      [5, 3],
      [4, 1],
      [3, 4],
    ]) {
      const counts = split(clients, each);
      for (const row of counts) expect(row.filter((count) => count > 0)).toHaveLength(each);
      const takers = Array.from({ length: BINS }, (_, bin) => counts.filter((row) => row[bin] > 0).length);
      expect(Math.max(...takers) - Math.min(...takers)).toBeLessThanOrEqual(1);
    }
    expect(() => split(3, 1)).toThrow(/leave bins without a client.*at least 2 bins per client/);
    expect(() => split(3, 5)).toThrow(/cannot hold 5 bins: 4 bins have samples/);
  });
});

describe("client-dirichlet", () => {
  const split = (alpha: number, values: Partial<PartitionerChoice> = {}) =>
    drawPartition(data, {
      ...{ clients: 6, seed: 2, minSize: 1, alpha },
      partitioner: { name: "client-dirichlet", ...values } as PartitionerChoice,
    });

  it("has composition skew at equal sizes", () => {
    expect(sizesOf(split(0.05))).toEqual([20, 20, 20, 20, 20, 20]);
    const largest = (alpha: number) =>
      countTable(split(alpha)).reduce((sum, row) => sum + Math.max(...row) / 20, 0) / 6;
    expect(largest(0.05)).toBeGreaterThan(0.65); // the last clients take what is left
    expect(largest(1000)).toBeLessThan(0.5);
  });

  it("takes sizes too, and survives shares below the smallest number", () => {
    expect(sizesOf(split(1e-6, { sizes: "70,10,10,10,10,10" }))).toEqual([70, 10, 10, 10, 10, 10]);
  });
});

describe("by an attribute", () => {
  const split = (attribute: ArrayLike<number> | readonly string[], clients: number, values = {}) =>
    drawPartition(
      { bins: BINS, binOfSample, attribute },
      { clients, seed: 0, partitioner: { name: "by", by: "beta", ...values } },
    );
  const { clientsOf } = PARTITIONERS.by as Partitioner;
  const count = (attribute: ArrayLike<number> | readonly string[], asked?: number, values = {}) =>
    clientsOf!({ attribute }, { by: "beta", strictness: 1, ...values }, asked);
  const betas = Float64Array.from({ length: SAMPLES }, (_, i) => [0.1, 4, 1][i % 3]);
  const even = Float64Array.from({ length: SAMPLES }, (_, i) => (i * 7) % SAMPLES);

  it("makes one client of every value, in order", () => {
    expect(count(betas)).toBe(3);
    const { clientOfSample, clientNames } = split(betas, 3);
    expect(clientNames).toEqual(["beta = 0.1", "beta = 1", "beta = 4"]);
    expect([...clientOfSample.subarray(0, 3)]).toEqual([0, 2, 1]);
    const files = Array.from({ length: SAMPLES }, (_, i) => (i < 50 ? "b.h5" : "a.h5"));
    expect(count(files)).toBe(2);
    expect(sizesOf(split(files, 2))).toEqual([70, 50]);
  });

  it("cuts numbers into ranges, sorted, mixed with noise, or ignored", () => {
    expect(count(even, 6)).toBe(6);
    const sorted = split(even, 6).clientOfSample;
    for (let i = 0; i < SAMPLES; i++) expect(sorted[i]).toBe(Math.floor(even[i] / 20));
    const agreement = (strictness: number) =>
      split(even, 6, { strictness }).clientOfSample.reduce(
        (sum, client, i) => sum + +(client === sorted[i]),
        0,
      );
    expect(agreement(1)).toBe(SAMPLES);
    expect(agreement(0.7)).toBeGreaterThan(agreement(0.2));
    expect(agreement(0)).toBeLessThan(50);
  });

  it("asks where two readings are plausible, and refuses what makes no clients", () => {
    expect(() => count(even)).toThrow(/120 values for 120 samples: say how many clients/);
    expect(() => count(betas, 4)).toThrow(/3 values, which cannot make 4 clients/);
    expect(count(betas, 2)).toBe(2); // two ranges of three values
    expect(() => count(betas, 2, { ranges: false })).toThrow(/3 values, each a client/);
    expect(() => count(new Float64Array(SAMPLES))).toThrow(/beta is 0 for all samples/);
    expect(() => count(betas.map((beta, i) => (i === 3 ? Number.NaN : beta)))).toThrow(
      /beta of sample 3 is NaN/,
    );
    expect(() => count(["a", "b"], undefined, { strictness: 0.5 })).toThrow(/names, not numbers/);
  });

  it("sorts numbers whose squares are none, and depends on the seed through noise alone", () => {
    const sorted = split(even, 6).clientOfSample;
    for (const scale of [1e200, 1e-200, 1e305]) {
      const scaled = even.map((value) => value * scale);
      expect(split(scaled, 6).clientOfSample).toEqual(sorted);
      expect(split(scaled, 6, { strictness: 0.9 }).clientOfSample).not.toEqual(sorted);
    }
    const noisy = [0, 1].map((seed) =>
      drawPartition(
        { bins: BINS, binOfSample, attribute: even },
        { clients: 6, seed, partitioner: { name: "by", by: "beta", strictness: 0.5 } },
      ).clientOfSample.join(),
    );
    expect(noisy[0]).not.toBe(noisy[1]);
  });

  it("names clients by the digits of the number, not by those of its float32", () => {
    const single = Float64Array.from(betas, Math.fround);
    expect(split(single, 3).clientNames).toEqual(["beta = 0.1", "beta = 1", "beta = 4"]);
    const double = betas.map((beta) => (beta === 0.1 ? 1 / 3 : beta));
    expect(split(double, 3).clientNames?.[0]).toBe("beta = 0.3333333333333333");
  });

  it("refuses to cut a group", () => {
    const groups = binOfSample.map((_, sample) => Math.floor(sample / 2));
    expect(() =>
      drawPartition(
        { bins: BINS, binOfSample, attribute: betas, groups },
        { clients: 3, partitioner: { name: "by", by: "beta" } },
      ),
    ).toThrow(/samples 0 and 1 are of one group/);
  });

  it("refuses a natural client below a minimum that was asked for", () => {
    const attribute = betas.map((beta, i) => (i < 3 ? 9 : beta));
    expect(sizesOf(split(attribute, 4))).toEqual([39, 39, 39, 3]);
    expect(() =>
      drawPartition(
        { bins: BINS, binOfSample, attribute },
        { clients: 4, minSize: 5, partitioner: { name: "by", by: "beta" } },
      ),
    ).toThrow(/client beta = 9 holds 3 samples, below the minimum of 5/);
  });
});

describe("clients of a file", () => {
  it("may leave samples out, and says how many", () => {
    const clientOfSample = binOfSample.map((bin, sample) => (sample < 12 ? -1 : bin % 2));
    const partition = drawPartition(
      { bins: BINS, binOfSample, clients: { clientOfSample, clientNames: ["a", "b"] } },
      { clients: 2, partitioner: { name: "file", file: "theirs.pkl" } },
    );
    expect(sizesOf(partition)).toEqual([54, 54]);
    expect(partition.notes).toEqual([expect.stringMatching(/No client holds 12 of 120 samples \(10.0 %\)/)]);
    const groups = binOfSample.map((_, sample) => Math.floor(sample / 4));
    const together = groups.map((group) => (group < 3 ? -1 : group % 2));
    const grouped = drawPartition(
      { bins: BINS, binOfSample, groups, clients: { clientOfSample: together, clientNames: ["a", "b"] } },
      { clients: 2, partitioner: { name: "file", file: "theirs.pkl" } },
    );
    expect(grouped.notes).toEqual(partition.notes);
  });
});

describe("an intention", () => {
  const cost = costMatrix(
    Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 0 : 1)),
    BINS,
  );

  it("may have a target without a draw", () => {
    const target = Array.from({ length: 5 }, () => new Float64Array(BINS).fill(0.25));
    const counts = countTable(drawPartition(data, optionsOf("dirichlet")));
    const { metrics } = diagnose({ counts, cost, drawn: { target, repairs: 0 } });
    expect(metrics.eps_part).toBeGreaterThan(0);
    expect(metrics).toMatchObject({ h_u: null, h_u_expected: null, h_u_realised_expected: null, repairs: 0 });
  });

  it("is measured in sizes, which repair moves away from those intended", () => {
    const measure = (minSize: number) => {
      const partition = drawPartition(data, {
        ...{ clients: 5, seed: 1, minSize },
        partitioner: { name: "sizes", sizes: "60,30,20,5,5" },
      });
      return diagnose({ counts: countTable(partition), cost, drawn: intentionOf(partition) }).metrics;
    };
    expect(measure(1).eps_size).toBe(0);
    expect(measure(10).eps_size).toBeCloseTo(20 / 120, 12);
  });
});
