import { describe, expect, it } from "vitest";
import { leftOut } from "../../src/analysis/missing-runs.js";
import { agreementWords, list, trend, trendWords } from "../../src/analysis/phrases.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { paperAnswers } from "../../src/paper/answers/answers.js";
import { missingFromPaper, paperCoverage } from "../../src/paper/coverage.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

/** Burgers runs at the final round with these excess errors, seed by seed, for each concentration. */
function runs(excess: Readonly<Record<number, readonly number[]>>, change = {}): SeedRecord[] {
  return [100, 10, 1, 0.1, 0.01].flatMap((alpha) =>
    (alpha === 100 ? Object.values(excess)[0].map(() => 0) : (excess[alpha] ?? [])).map(
      (excess_error, seed) => ({
        ...syntheticRecords({
          tasks: ["burgers"],
          alphas: [alpha],
          seeds: [seed],
          rounds: [1000],
          change,
        })[0],
        excess_error,
      }),
    ),
  );
}

const all = (records: readonly SeedRecord[]) => paperAnswers(reportSubject(records, PAPER));
const answers = (records: readonly SeedRecord[]) =>
  Object.fromEntries(all(records).map((answer) => [answer.id, answer]));
const said = (records: readonly SeedRecord[]) =>
  all(records)
    .flatMap(({ short, sentences }) => [short, ...sentences])
    .join("\n");
const coverageOf = (records: readonly SeedRecord[]) => {
  const subject = reportSubject(records, PAPER);
  return { ...paperCoverage(subject, leftOut(subject.records)), missing: missingFromPaper(subject) };
};

describe("what is said of intervals", () => {
  it("is that one which touches zero includes it", () => {
    const zero = runs({ 0.01: [0, 0, 0] }); // an interval of no width, at zero
    expect(answers(zero).RQ3.short).toContain("includes zero for Burgers (0.000 pp at α = 0.01)");
  });

  it("is on which side of zero they lie", () => {
    expect(answers(runs({ 0.01: [1, 1.1, 1.2] })).RQ3.short).toContain("lies above zero for Burgers");
    expect(answers(runs({ 0.01: [-1, -1.1, -1.2] })).RQ3.short).toContain("lies below zero for Burgers");
    expect(answers(runs({ 0.01: [-5, 1, 5] })).RQ3.short).toContain("includes zero for Burgers");
  });

  it("is that there is none for one seed", () => {
    const one = said(runs({ 0.01: [1] }));
    expect(one).toContain("does not exist, with one seed,");
    expect(one).not.toContain("lies above zero for");
  });

  it("is whether they agree with the paper", () => {
    const paper = { mean: 0.916, low: 0.238, high: 1.595, excludesZero: true };
    const ours = { seeds: 3, mean: 1, sd: 0.1, low: 0.5, high: 1.5 };
    expect(agreementWords(ours, paper, "paper")).toBe(
      "our interval covers the paper's mean and the verdict on zero is the same",
    );
    expect(agreementWords({ ...ours, mean: -2, low: -2.5, high: -1.5 }, paper, "paper")).toBe(
      "our interval does not cover the paper's mean and the verdict on zero is another",
    );
    expect(agreementWords(ours, { excludesZero: false }, "paper")).toBe("the verdict on zero is another");
  });
});

describe("what is said of trends", () => {
  it("is that they rise with every step only where they do", () => {
    const rising = trend(runs({ 10: [0, 0.2], 1: [0.3, 0.3], 0.1: [0.5, 0.6] }), "excess_error")!;
    expect(trendWords(rising)).toBe("rises with every step from α = 100 (0.000) to α = 0.1 (0.550)");
  });

  it("names the steps that break them; standing still is one", () => {
    const broken = trend(
      runs({ 10: [0.4, 0.4], 1: [0.4, 0.4], 0.1: [0.1, 0.1], 0.01: [2, 2] }),
      "excess_error",
    )!;
    expect(broken.breaks).toEqual([
      [10, 1],
      [1, 0.1],
    ]);
    expect(trendWords(broken)).toContain("not from α = 10 to α = 1 and from α = 1 to α = 0.1");
  });

  it("needs two concentrations", () => {
    expect(trend(syntheticRecords({ alphas: [100] }), "d_sol")).toBeUndefined();
    expect(answers(syntheticRecords({ alphas: [100] })).RQ1.short).toContain("do not tell");
  });

  it("counts tasks in which distance and gradients both rise", () => {
    expect(answers(syntheticRecords()).RQ1.short).toContain("in 3 of 3 tasks");
    const flat = syntheticRecords().map((row) => (row.task === "burgers" ? { ...row, h_g_norm: 0.5 } : row));
    expect(answers(flat).RQ1.short).toContain("in 2 of 3 tasks (Antiderivative and Diffusion-reaction)");
  });

  it("is whether excess error rises as viscosity falls", () => {
    const falling = [
      ...runs({ 0.01: [1, 1.1] }),
      ...runs({ 0.01: [3, 3.1] }, { viscosity: 0.05 }),
      ...runs({ 0.01: [2, 2.1] }, { viscosity: 0.01 }),
    ];
    expect(said(falling)).toContain("does not rise with every step of falling viscosity");
    expect(said(syntheticStudy())).toContain("rises with every step of falling viscosity");
  });
});

describe("what is said of stability", () => {
  it("counts settings whose verdict on zero changes, a change of sign among them", () => {
    const changed = [
      ...runs({ 0.01: [1, 1.1, 1.2] }),
      ...runs({ 0.01: [-1, -1.1, -1.2] }, { optimizer: "sgd" }),
    ];
    expect(answers(changed).RQ4.short).toContain("1 of 1 changed settings give another verdict");
    const same = [...runs({ 0.01: [1, 1.1, 1.2] }), ...runs({ 0.01: [2, 2.1, 2.2] }, { clients: 20 })];
    expect(answers(same).RQ4.short).toContain("0 of 1 changed settings");
    expect(answers(same).RQ4.sentences.join()).toContain("the intervals do not overlap");
  });

  it("gives no verdict without intervals, and says what is missing", () => {
    const one = [...runs({ 0.01: [1] }), ...runs({ 0.01: [2] }, { clients: 20 })];
    expect(answers(one).RQ4.short).toBe("No changed setting has enough seeds for an interval yet.");
    expect(answers(one).RQ4.missing).toEqual([
      "Optimiser: no records.",
      "Viscosity: no records.",
      "Public datasets and other model families are not part of these records.",
    ]);
  });

  it("tells observables that records do not have from runs that are too few", () => {
    const unknown = runs({ 0.01: [1, 1.1, 1.2], 0.1: [1, 1.2, 1.3] }).map((run) => ({
      ...run,
      d_theta: NaN,
    }));
    expect(answers(unknown).RQ2.missing).toEqual(["The records of Burgers have no parameter divergence."]);
    expect(answers(runs({ 0.01: [1] })).RQ2.missing).toEqual([
      "Burgers has too few runs that differ for correlations with gradient dissimilarity, parameter divergence and excess error.",
    ]);
  });

  it("counts the seeds with a positive excess error", () => {
    expect(said(runs({ 0.01: [1, -1, 0, 2] }))).toContain("is positive for 2 of 4 seeds (the paper has 5)");
  });
});

describe("contrasts between concentrations", () => {
  it("take the seeds that all of them have, and say how many", () => {
    // Over all seeds the mean falls from 2 to 0.5; over the two that both have it rises.
    const uneven = runs({ 0.1: [0.1, 0.2, 5.7], 0.01: [0.4, 0.6] });
    const found = trend(
      uneven.filter(({ alpha }) => alpha !== 100),
      "excess_error",
    )!;
    expect(found).toMatchObject({ seeds: 2, unpaired: 1, breaks: [] });
    expect(found.means).toEqual([expect.closeTo(0.15, 10), expect.closeTo(0.5, 10)]);
    expect(trendWords(found)).toBe(
      "rises with every step from α = 0.1 (0.150) to α = 0.01 (0.500), over the two seeds that all of them have",
    );
    expect(said(uneven)).toContain("the whole change, paired over two seeds, is");
  });

  it("have no trend without a seed in common", () => {
    const apart = runs({ 0.1: [1], 0.01: [1, 2] }).filter(
      ({ alpha, seed }) => alpha === 0.1 || (alpha === 0.01 && seed === 1),
    );
    expect(trend(apart, "excess_error")).toBeUndefined();
    expect(answers(apart).RQ1.missing[0]).toBe(
      "Burgers has no seed with all concentrations, so there is no trend.",
    );
  });

  it("compare settings over the seeds that both have", () => {
    const main = runs({ 0.01: [1, 1.1, 1.2, -9] });
    const clients = runs({ 0.01: [1, 1.1, 1.2] }, { clients: 20 });
    const sentence = answers([...main, ...clients]).RQ4.sentences.at(-1)!;
    expect(sentence).toContain("1.100 pp [0.852, 1.348] with 10 clients");
    expect(sentence).toMatch(/; the intervals overlap, over the three seeds that both have\.$/);
  });

  it("compare viscosities over the seeds that all have", () => {
    const thick = runs({ 0.01: [1, 1, 1] });
    const thin = runs({ 0.01: [2, 2, 2, -90] }, { viscosity: 0.05 });
    expect(said([...thick, ...thin])).toContain(
      "rises with every step of falling viscosity: from 1.000 pp at ν = 0.1 to 2.000 pp [2.000, 2.000] at ν = 0.05, over the three seeds that all of them have.",
    );
  });
});

describe("coverage", () => {
  it("names missing tasks and ablations", () => {
    const part = syntheticRecords({
      tasks: ["burgers"],
      seeds: [0, 1],
      alphas: [100, 0.01],
    });
    const { run, missing } = coverageOf(part);
    expect(run[0]).toBe("Burgers: 4 of the paper's 25 runs at round 1000 (α = 100, 0.01; seeds 0, 1).");
    expect(missing[0]).toBe("No records of Antiderivative and Diffusion-reaction in the main setting.");
    expect(missing).toHaveLength(4);
  });

  it("counts runs that are still on the way", () => {
    const done = syntheticRecords({ tasks: ["burgers"], seeds: [0] });
    const underway = syntheticRecords({ tasks: ["burgers"], seeds: [1], alphas: [100], rounds: [0, 1] });
    expect(coverageOf([...done, ...underway]).run[0]).toContain(
      "5 of the paper's 25 runs at round 1000, 1 more",
    );
  });

  it("misses nothing in the paper's whole grid", () => {
    expect(coverageOf(syntheticStudy()).missing).toEqual([]);
  });
});

describe("list", () => {
  it("joins words as a sentence does", () => {
    expect([list([]), list(["a"]), list(["a", "b"]), list(["a", "b", "c"])]).toEqual([
      "",
      "a",
      "a and b",
      "a, b and c",
    ]);
  });
});
