import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  correlation,
  distinctRecords,
  finalRecords,
  overSeeds,
  roundWords,
  sideOfZero,
  summarise,
  withoutReference,
} from "../../src/analysis/observations.js";
import { syntheticRecords } from "../records/synthetic-records.js";

/** By SciPy: scripts/golden/sample_statistics.py. */
const golden: {
  samples: { values: number[]; mean: number; sd: number; interval: [number, number] }[];
  pairs: { x: number[]; y: number[]; pearson: number; spearman: number }[];
} = JSON.parse(readFileSync(new URL("../golden/sample-statistics.json", import.meta.url), "utf8"));

const [record] = syntheticRecords({ tasks: ["burgers"], alphas: [0.01], seeds: [0], rounds: [1000] });

describe("overSeeds", () => {
  it.each(golden.samples)("agrees with SciPy on sample %#", ({ values, mean, sd, interval }) => {
    const runs = values.map((excess_error, seed) => ({ ...record, seed, excess_error }));
    const found = overSeeds(runs, 0.01, "excess_error")!;
    expect(found.seeds).toBe(values.length);
    expect(Math.abs(found.mean / mean - 1)).toBeLessThan(1e-10);
    expect(Math.abs(found.sd! / sd - 1)).toBeLessThan(1e-10);
    expect(Math.abs(found.low! / interval[0] - 1)).toBeLessThan(1e-10);
    expect(Math.abs(found.high! / interval[1] - 1)).toBeLessThan(1e-10);
  });

  it("has no interval for a single seed, and nothing for none", () => {
    expect(overSeeds([record], 0.01, "d_sol")).toMatchObject({ seeds: 1, sd: null, low: null, high: null });
    expect(overSeeds([record], 1, "d_sol")).toBeUndefined();
  });

  it("passes over values that are not numbers", () => {
    const runs = [record, { ...record, seed: 1, excess_error: NaN }];
    expect(overSeeds(runs, 0.01, "excess_error")!.seeds).toBe(1);
  });
});

describe("sideOfZero", () => {
  const interval = (low: number, high: number) =>
    sideOfZero({ seeds: 5, mean: (low + high) / 2, sd: 1, low, high });

  it("lets an interval that touches zero include it", () => {
    expect(interval(0, 1)).toBe("includes");
    expect(interval(-1, 0)).toBe("includes");
    expect(interval(Number.MIN_VALUE, 1)).toBe("above");
    expect(interval(-1, -Number.MIN_VALUE)).toBe("below");
  });

  it("knows no side without an interval", () => {
    expect(sideOfZero(summarise([1]))).toBeUndefined();
    expect(sideOfZero(undefined)).toBeUndefined();
  });
});

describe("correlation", () => {
  it.each(golden.pairs)("agrees with SciPy on pair %#", ({ x, y, pearson, spearman }) => {
    const runs = x.map((d_sol, i) => ({ ...record, seed: i, d_sol, d_theta: y[i] }));
    expect(correlation("pearson", runs, "d_sol", "d_theta")!.value).toBeCloseTo(pearson, 10);
    expect(correlation("spearman", runs, "d_sol", "d_theta")!.value).toBeCloseTo(spearman, 10);
  });

  it("is not defined for two runs, or where one of the two does not vary", () => {
    const runs = [1, 2, 3].map((d_theta, seed) => ({ ...record, seed, d_sol: 1, d_theta }));
    expect(correlation("pearson", runs, "d_sol", "d_theta")).toBeUndefined();
    expect(correlation("spearman", runs.slice(1), "d_theta", "seed" as "d_sol")).toBeUndefined();
  });
});

describe("records", () => {
  it("of several studies count each run once", () => {
    const one = syntheticRecords({ tasks: ["burgers"] });
    const two = one.map((row) => ({ ...row, study: "another" }));
    expect(distinctRecords([...one, ...two])).toHaveLength(one.length);
  });

  it("are final where they have come as far as any of their setting, and the reference can be left out", () => {
    const done = syntheticRecords({ tasks: ["burgers"], alphas: [100, 1] });
    const underway = syntheticRecords({ tasks: ["burgers"], alphas: [10], rounds: [0, 1, 5] });
    const short = syntheticRecords({ tasks: ["antiderivative"], alphas: [100], rounds: [0, 1, 5] });
    const final = finalRecords([...done, ...underway, ...short]);
    const found = new Set(final.map(({ task, alpha, round }) => `${task} ${alpha} ${round}`));
    expect(found).toEqual(new Set(["burgers 100 1000", "burgers 1 1000", "antiderivative 100 5"]));
    expect(withoutReference(final).map(({ alpha }) => alpha)).toEqual([1, 1, 1, 1, 1]);
    expect(roundWords([...done, ...short])).toBe("5 or 1000 rounds");
  });
});
