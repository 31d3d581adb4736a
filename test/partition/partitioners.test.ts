import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { OptionError } from "../../src/errors.js";
import { costMatrix } from "../../src/numerics/cost-matrix.js";
import { takes } from "../../src/options/option.js";
import { countTable } from "../../src/partition/assignment.js";
import { partitionBins } from "../../src/partition/partition.js";
import type { Partitioner } from "../../src/partition/partitioner.js";
import { PARTITIONERS } from "../../src/partition/partitioners.js";

const BINS = 4;
const data = { bins: BINS, binOfSample: Int32Array.from({ length: 120 }, (_, i) => i % BINS) };
const options = { clients: 5, alpha: 0.5, seed: 3, minSize: 4 };

describe.each(Object.entries(PARTITIONERS))("the partitioner %s", (_, partitioner) => {
  it("gives every sample to one client, and the same clients for the same seed", () => {
    const partition = partitioner.assign(data, options);
    expect(
      countTable(partition)
        .flat()
        .reduce((a, b) => a + b),
    ).toBe(120);
    expect(partitioner.assign(data, options)).toEqual(partition);
    expect(partitioner.assign(data, { ...options, seed: 4 }).clientOfSample).not.toEqual(
      partition.clientOfSample,
    );
  });

  it("refuses what no partition can satisfy", () => {
    expect(() => partitioner.check(120, { ...options, minSize: 25 })).toThrow(OptionError);
    expect(() => partitioner.check(120, { ...options, clients: 1 })).toThrow(OptionError);
    expect(() => partitioner.check(120, options)).not.toThrow();
  });

  it("says what it intended for every client and bin", () => {
    const { target } = partitioner.intended!(partitioner.assign(data, options));
    expect(target.map((histogram) => histogram.length)).toEqual([4, 4, 4, 4, 4]);
    for (const histogram of target) expect(histogram.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  });

  it("describes itself and its options in plain lines", () => {
    expect(partitioner.describe).toMatch(/^[a-z].*[^.]$/);
    for (const option of Object.values(partitioner.options)) expect(option.help).toMatch(/^[^\n]+$/);
  });
});

describe("the Dirichlet partitioner", () => {
  const { dirichlet } = PARTITIONERS;

  it("is the library's partitionBins", () => {
    expect(dirichlet.assign(data, options)).toEqual(
      partitionBins(data.binOfSample, { ...options, bins: BINS }),
    );
  });

  it("declares the range of alpha that it accepts", () => {
    const { alpha } =
      dirichlet.options as typeof import("../../src/partition/dirichlet.js").DIRICHLET_OPTIONS;
    for (const value of [0, 1e-7, 1e-6, 0.1, 1e9, 2e9, Number.NaN]) {
      const check = () => dirichlet.check(120, { ...options, alpha: value });
      if (takes(alpha, value)) expect(check).not.toThrow();
      else expect(check).toThrow(OptionError);
    }
  });
});

describe("the interface", () => {
  it("carries a partitioner that looks at attributes and intends nothing", () => {
    const byFile: Partitioner = {
      describe: "one client per source file",
      options: {},
      check: () => {},
      assign: ({ bins, binOfSample, attributes }, { clients, seed = 0 }) => ({
        clients,
        bins,
        binOfSample,
        clientOfSample: Int32Array.from(attributes!.file as number[]),
        seed,
        minSize: 1,
        repair: "closest",
        repairs: [],
      }),
    };
    const attributes = { file: Array.from({ length: 120 }, (_, i) => Math.floor(i / 24)) };
    const partition = byFile.assign({ ...data, attributes }, { clients: 5 });
    const cost = costMatrix(
      Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 0 : 1)),
      BINS,
    );
    const { metrics } = diagnose({
      counts: countTable(partition),
      cost,
      drawn: byFile.intended?.(partition),
    });
    expect(metrics).toMatchObject({ d_sol: 0, n_min: 24, n_max: 24, eps_part: null, repairs: null });
  });

  it("lets an intention have a target without a draw", () => {
    const target = Array.from({ length: 5 }, () => new Float64Array(BINS).fill(0.25));
    const counts = countTable(PARTITIONERS.dirichlet.assign(data, options));
    const cost = costMatrix(
      Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 0 : 1)),
      BINS,
    );
    const { metrics } = diagnose({ counts, cost, drawn: { target, repairs: 0 } });
    expect(metrics.eps_part).toBeGreaterThan(0);
    expect(metrics).toMatchObject({ h_u: null, h_u_expected: null, h_u_realised_expected: null, repairs: 0 });
  });
});
