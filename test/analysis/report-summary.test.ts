import { describe, expect, it } from "vitest";
import { leftOut } from "../../src/analysis/missing-runs.js";
import { reportSummary } from "../../src/analysis/report-summary.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords } from "../records/synthetic-records.js";

function summary(records: readonly SeedRecord[]): string[] {
  const subject = reportSubject(records, PAPER);
  return reportSummary(subject, leftOut(subject.records, [], PAPER));
}

/** Records of one task whose last errors are these, in per cent, by concentration and seed. */
function withErrors(errors: Readonly<Record<number, readonly number[]>>, change: object = {}): SeedRecord[] {
  const alphas = Object.keys(errors).map(Number);
  const seeds = errors[alphas[0]].map((_, seed) => seed);
  return syntheticRecords({ tasks: ["antiderivative"], alphas, seeds, rounds: [0, 20] }).map((row) => {
    const [own, reference] = [errors[row.alpha][row.seed], errors[100]?.[row.seed] ?? NaN].map(
      (e) => e / 100,
    );
    return {
      ...row,
      test_error: own,
      reference_error: reference,
      excess_error: 100 * (own - reference),
      reference_alpha: 100 in errors ? 100 : NaN,
      ...change,
    };
  });
}

describe("the summary of a report", () => {
  it("says what was run, what came out and what is missing", () => {
    expect(summary(withErrors({ 100: [10, 12], 0.01: [11, 15] }))).toEqual([
      "4 runs trained Antiderivative by FedAvg for 20 rounds with K = 10 clients and Adam, at α = 100 and 0.01 with seeds 0 and 1.",
      // Excesses are 1 and 3: 2 ± 12.706 / sqrt(2) * sqrt(2).
      "The mean relative test error is 11.00 % at the reference α = 100 and 13.00 % at α = 0.01 for Antiderivative, " +
        "an excess of 2.00 pp over two seeds, whose 95 % interval [−10.71, 14.71] includes zero.",
      "No run is missing.",
    ]);
  });

  it("names the clients and the optimiser that were taken, whatever the tables show them as", () => {
    const own = withErrors(
      { 100: [10], 0.1: [9] },
      {
        settings: { clients: 6, optimizer: "sgd", momentum: 0 },
        overrides: ["clients", "optimizer", "momentum"],
      },
    );
    expect(summary(own)[0]).toBe(
      "2 runs trained Antiderivative by FedAvg for 20 rounds with K = 6 clients and SGD, at α = 100 and 0.1 with seed 0.",
    );
    expect(summary(own)[1]).toMatch(/an excess of −1\.00 pp \(one seed, so without an interval\)\.$/);
  });

  it("compares means over the same seeds where some have no run", () => {
    const part = withErrors({ 100: [10, 30], 0.01: [11, 31] }).filter(
      ({ alpha, seed }) => alpha === 100 || seed === 0,
    );
    const [, result, missing] = summary(part);
    expect(result).toContain("is 10.00 % at the reference α = 100 and 11.00 % at α = 0.01");
    expect(missing).toBe("1 of 4 runs is missing: Antiderivative, α = 0.01: seed 1 without a record.");
  });

  it("tells of several settings in one sentence, and how many it leaves to the tables", () => {
    const tasks = ["antiderivative", "burgers", "diffusion-reaction", "darcy", "cylinder", "dam-break"];
    const [run, result] = summary(syntheticRecords({ tasks, seeds: [0, 1, 2, 3] }));
    expect(run).toContain("120 runs trained Antiderivative, Burgers, Diffusion-reaction, Darcy flow");
    expect(result).toMatch(
      /is \d\.\d\d % and \d\.\d\d % for Antiderivative \(−?\d\.\d\d pp \[−?\d.*, over four seeds; the tables have 2 more settings\.$/,
    );
    const uneven = [
      ...syntheticRecords({ tasks: ["antiderivative"], seeds: [0, 1] }),
      ...syntheticRecords({ tasks: ["burgers"], seeds: [0, 1, 2] }),
    ];
    expect(summary(uneven)[1]).toMatch(
      /Antiderivative \([^)]*, two seeds\) and .*Burgers \([^)]*, three seeds\)\.$/,
    );
  });

  it("does without a reference", () => {
    expect(summary(withErrors({ 1: [10, 12], 0.1: [0.5, 0.7] }))[1]).toBe(
      "The mean relative test error is 11.000 % at α = 1 and 0.600 % at α = 0.1 for Antiderivative, over two seeds; " +
        "an excess error needs a reference run and one at another α.",
    );
  });

  it("takes a task from elsewhere as text, counts long lists, and says nothing of nothing", () => {
    const seeds = Array.from({ length: 12 }, (_, i) => i);
    const [run] = summary(syntheticRecords({ tasks: ["my_data"], seeds, rounds: [0, 1] }));
    expect(run).toMatch(/^60 runs trained `my_data` by FedAvg for 1 round with .* with 12 seeds\.$/);
    expect(summary([])).toEqual([]);
  });
});
