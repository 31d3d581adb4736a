import { describe, expect, it } from "vitest";
import { findings } from "../../src/analysis/findings.js";
import { leftOut, leftOutSentence, withoutReferenceSentences } from "../../src/analysis/missing-runs.js";
import { notationHtml } from "../../src/analysis/notation.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { PAPER } from "../../src/paper/published.js";
import type { MissingRun } from "../../src/records/missing-run.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import type { Settings } from "../../src/records/settings.js";
import { syntheticRecords } from "../records/synthetic-records.js";

const whole = syntheticRecords({ tasks: ["burgers"], alphas: [100, 0.01], seeds: [0, 1, 2, 3] });
const survivors = whole.filter(({ alpha, seed }) => alpha === 100 || seed === 3);
const missing = (why: (seed: number) => string): MissingRun[] =>
  whole
    .filter(({ alpha, seed, round }) => alpha === 0.01 && seed < 3 && round === 0)
    .map((row) => ({ ...row, why: why(row.seed) }));

describe("runs that means leave out", () => {
  it("are none where every seed has every concentration", () => {
    expect(leftOut(whole, [], PAPER)).toEqual({ runs: 0, planned: 8, phrases: [] });
    expect(leftOutSentence(leftOut(whole, [], PAPER))).toBe("");
  });

  it("are told with the reason, seeds of the same reason together", () => {
    const why = (seed: number) => (seed === 1 ? "not finished" : "diverged before round 5");
    expect(leftOutSentence(leftOut(survivors, missing(why), PAPER))).toBe(
      "3 of 8 runs are left out: Burgers, α = 0.01: seeds 0 and 2 diverged before round 5, seed 1 not finished.",
    );
  });

  it("are seen in a table alone, which does not know the reason", () => {
    expect(leftOut(survivors, [], PAPER).phrases).toEqual([
      "Burgers, α = 0.01: seeds 0, 1 and 2 without a record",
    ]);
  });

  it("are not those whose rows the table kept", () => {
    expect(
      leftOut(
        whole,
        missing(() => "not finished"),
      ).runs,
    ).toBe(0);
  });

  it("are named after what tells their setting apart, and only that", () => {
    const rows = (settings: Settings) =>
      syntheticRecords({ tasks: ["burgers"], alphas: [100, 0.01], seeds: [0, 1], settings });
    const uneven = rows({ local_steps: 1, bins: 3 }).filter(({ alpha, seed }) => alpha === 100 || seed === 0);
    expect(leftOut([...rows({ bins: 3 }), ...uneven], [], PAPER).phrases).toEqual([
      "Burgers, local steps 1, α = 0.01: seed 1 without a record",
    ]);
  });

  it("have no concentration in their name where their split has none", () => {
    const shards = syntheticRecords({
      ...{ tasks: ["burgers"], alphas: [1], seeds: [0, 1], settings: { partitioner: "shards" } },
    }).map((row) => ({ ...row, alpha: NaN }));
    const left = leftOut(
      [...whole, ...shards.filter(({ seed }) => seed === 0)],
      shards
        .filter(({ seed, round }) => seed === 1 && round === 0)
        .map((row) => ({ ...row, why: "not finished" })),
      PAPER,
    );
    expect(left).toEqual({
      ...{ runs: 1, planned: 10 },
      phrases: ["Burgers, partitioner shards: seed 1 not finished"],
    });
  });

  it("name files as text", () => {
    const [phrase] = leftOut(
      survivors,
      missing(() => "failed: no my_file_v2.h5"),
    ).phrases;
    expect(notationHtml(phrase)).toContain("failed: <code>no my_file_v2.h5</code>");
  });

  it("are told in a caption up to a few, and then counted", () => {
    const tasks = ["antiderivative", "burgers"];
    const all = syntheticRecords({ tasks, seeds: [0, 1], rounds: [30] });
    const one = all.filter(({ seed, alpha, task }) => seed === 0 || (alpha === 100 && task === "burgers"));
    const grid = [
      ...one,
      ...all.filter(({ task, alpha, seed }) => task !== "burgers" && alpha === 100 && seed === 1),
    ];
    const left = leftOut(grid);
    expect(left).toMatchObject({ runs: 8, planned: 20 });
    expect(left.phrases).toHaveLength(8);
    expect(leftOutSentence(left)).toMatch(/; and so on for 2 more\.$/);
  });
});

describe("runs without a reference", () => {
  const alone = (seed: number) => (row: SeedRecord) =>
    row.seed === seed ? { ...row, excess_error: NaN, reference_error: NaN, d_theta: NaN } : row;

  it("are named with what cannot be shown of them", () => {
    const records = whole.filter(({ alpha, seed }) => alpha !== 100 || seed !== 2).map(alone(2));
    const subject = reportSubject(records, PAPER);
    expect(withoutReferenceSentences(subject.cases)).toEqual([
      "Burgers: no reference run with the same seed and options for α = 0.01 (seed 2), so excess error and D_θ cannot be shown.",
    ]);
    expect(findings(subject).coverage.gaps).toHaveLength(3);
    expect(withoutReferenceSentences(reportSubject(whole).cases)).toEqual([]);
  });
});
