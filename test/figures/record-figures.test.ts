import { describe, expect, it } from "vitest";
import { distinctRecords } from "../../src/analysis/observations.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { reportFigures as figuresOf } from "../../src/figures/report-figures.js";
import { paperFigures } from "../../src/paper/figures/paper-figures.js";
import { PAPER } from "../../src/paper/published.js";
import { styleOf } from "../../src/paper/task-styles.js";
import type { RunTrace } from "../../src/records/run-trace.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";
import { assertWellFormed, texts } from "./well-formed.js";

/** Figures of records beside the paper, as a report has them. */
function reportFigures(records: readonly SeedRecord[], traces: readonly RunTrace[] = []) {
  const subject = reportSubject(records, PAPER);
  return [...figuresOf(subject, { traces, styleOf }), ...paperFigures(subject)];
}

const study = distinctRecords(syntheticStudy());
const figures = reportFigures(study);
const ARROWHEAD = /d="M0,0L0,-2\.6/;
const named = (records: Parameters<typeof reportFigures>[0], name: string) =>
  reportFigures(records).find((figure) => figure.name === name);

describe("figures from records", () => {
  it.each(figures)("draw $name as the committed file has it", async ({ name, svg }) => {
    assertWellFormed(svg);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    await expect(svg).toMatchFileSnapshot(`../golden/figures/${name}.svg`);
  });

  it("are the paper's eight and one beside its numbers", () => {
    expect(figures.map(({ name }) => name)).toEqual([
      "test-error",
      "excess-error",
      "seed-excess",
      "partition-statistics",
      "mechanisms",
      "ablation-clients",
      "ablation-optimizer",
      "ablation-viscosity",
      "excess-beside-paper",
    ]);
  });

  it("do not depend on the order of the records", () => {
    expect(reportFigures(distinctRecords([...study].reverse()))).toEqual(figures);
  });

  it.each([
    ["one seed", syntheticStudy({ seeds: [42] })],
    ["one concentration beside the reference", syntheticStudy({ alphas: [100, 0.01] })],
    ["no reference", syntheticStudy({ alphas: [1, 0.1] })],
    ["the reference alone", syntheticStudy({ alphas: [100] })],
    ["one task", syntheticStudy({ tasks: ["antiderivative"] })],
    ["a task of one's own", syntheticStudy({ tasks: ["wave"] })],
    ["the first round", syntheticStudy({ rounds: [0] })],
    ["a short study", syntheticStudy({ rounds: [0, 1, 5, 10, 20, 50] })],
    ["odd concentrations", syntheticStudy({ alphas: [100, 30, 3, 0.5, 0.2, 0.05, 0.002] })],
    ["an ablation without its main setting", syntheticRecords({ change: { clients: 20 } })],
    [
      "tasks that have come differently far",
      [
        ...syntheticRecords({ tasks: ["antiderivative"] }),
        ...syntheticRecords({ tasks: ["burgers"], seeds: [0, 1, 42], alphas: [100, 0.01] }),
        ...syntheticRecords({ tasks: ["diffusion-reaction"], seeds: [0], rounds: [0, 1, 5] }),
      ],
    ],
    ["values that are not numbers", study.map((row) => ({ ...row, excess_error: NaN, d_theta: NaN }))],
    ["no records", []],
  ])("draw what there is of %s", (_, records) => {
    for (const { svg, caption, name } of reportFigures(records)) {
      assertWellFormed(svg);
      expect(svg, name).not.toMatch(/NaN|Infinity|undefined/);
      expect(caption).not.toMatch(/NaN|undefined/);
    }
  });

  it("leave out what has no records", () => {
    expect(reportFigures([])).toEqual([]);
    expect(named(syntheticRecords(), "ablation-clients")).toBeUndefined();
    expect(named(syntheticRecords({ alphas: [100] }), "excess-error")).toBeUndefined();
  });
});

describe("the test error", () => {
  it("labels every tick of its logarithmic axis and the rounds by powers of ten", () => {
    const { svg } = named(syntheticRecords({ tasks: ["antiderivative"] }), "test-error")!;
    expect(texts(svg)).toEqual(expect.arrayContaining(["100", "50", "20", "10", "5", "0", "1", "1000"]));
  });

  it("survives an interval that reaches below zero", () => {
    const wild = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1, 2, 3] }).map((row) =>
      row.seed === 0 ? { ...row, test_error: row.test_error * 50 } : row,
    );
    const { svg, caption } = named(wild, "test-error")!;
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(svg).toMatch(ARROWHEAD);
    expect(caption).toContain("Arrowheads");
  });

  it("has arrowheads only where intervals go on below the axis", () => {
    const { svg, caption } = named(syntheticRecords({ tasks: ["antiderivative"] }), "test-error")!;
    expect(svg).not.toMatch(ARROWHEAD);
    expect(caption).not.toContain("Arrowheads");
  });
});

describe("the mechanisms", () => {
  it("leave out what no record has, such as the divergence of parameters that were not kept", () => {
    const { svg, caption } = named(
      study.map((record) => ({ ...record, d_theta: NaN })),
      "mechanisms",
    )!;
    expect(svg).toContain("gradient dissimilarity");
    expect(svg).not.toContain("parameter divergence");
    expect(caption).toContain("against initial gradient dissimilarity and excess error after");
  });

  it("state Spearman's correlation, its observations and the paper's", () => {
    const { svg } = named(study, "mechanisms")!;
    expect(texts(svg)).toContainEqual(expect.stringMatching(/^ρs = 0\.\d\d, n = 20 \(paper 0\.69\)$/));
  });

  it("say nothing of a correlation that there is none of", () => {
    const { svg, caption } = named(syntheticStudy({ alphas: [100, 0.01], seeds: [0, 1] }), "mechanisms")!;
    expect(texts(svg).some((text) => text.includes("ρ"))).toBe(false);
    expect(caption).not.toContain("Spearman");
  });

  it("mark intervals that go beyond what a quantity can be", () => {
    const wild = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1, 2, 3] }).map((row) =>
      row.seed === 0 ? { ...row, d_theta: 0.01 * row.d_theta, h_g_norm: 0.01 } : { ...row, excess_error: 1 },
    );
    const { svg, caption } = named(
      wild.map((row) => ({ ...row, excess_error: Math.abs(row.excess_error) })),
      "mechanisms",
    )!;
    expect(svg).toMatch(ARROWHEAD);
    expect(caption).toContain("Arrowheads");
  });
});

describe("the excess error", () => {
  it("says where its axis is linear", () => {
    const large = syntheticRecords({ tasks: ["antiderivative", "burgers"] }).map((row) => ({
      ...row,
      excess_error:
        (row.task === "burgers" ? 20 : 0.1) * Math.sin(row.seed + row.round) * Number(row.alpha < 100),
    }));
    const { svg, caption } = named(large, "excess-error")!;
    expect(caption).toContain("nearly linear within ±1 pp and logarithmic beyond, but for Antiderivative");
    expect(texts(svg)).toEqual(expect.arrayContaining(["−10", "−1", "0", "1", "10"]));
  });
});

describe("the seeds' excess", () => {
  it("has lines of seeds in its legend only where there are any", () => {
    const one = named(syntheticStudy({ alphas: [100, 0.01] }), "seed-excess")!;
    expect(one.caption).toContain("Grey dots are the single seeds");
    expect(named(study, "seed-excess")!.caption).toContain("Thin grey lines are the single seeds");
  });
});

describe("figures of few seeds", () => {
  const few = syntheticStudy({ seeds: [0, 1] });
  const four = syntheticStudy({ seeds: [0, 1, 2, 3] });
  const band = /fill-opacity="0\.16"/;
  const seedLines = (svg: string) => svg.match(/stroke-opacity="0\.6"/g)?.length ?? 0;

  it.each(["test-error", "excess-error"])("have no bands but thin curves of the seeds in %s", (name) => {
    const [of2, of4] = [few, four].map((records) => named(records, name)!);
    const bands = ({ svg }: { svg: string }) =>
      [...svg.matchAll(/<g fill="#[^"]*" fill-opacity="0\.16">([\s\S]*?)<\/g>/g)].filter(([, inside]) =>
        inside.includes("<path"),
      ).length;
    expect(of4.svg).toMatch(band);
    expect([bands(of2), bands(of4) > 0]).toEqual([0, true]);
    expect([seedLines(of2.svg) > 0, seedLines(of4.svg)]).toEqual([true, 0]);
    expect(texts(of2.svg)).toContain("one seed");
    expect(of2.caption).toContain(
      "means over up to two seeds at the recorded checkpoints (ticks), thin curves",
    );
    expect(of2.caption).not.toContain("Student");
    expect(of4.caption).toContain("bands two-sided 95 % Student-t intervals");
  });

  it("have an axis for what is drawn, not for intervals of two seeds", () => {
    const scattered = syntheticRecords({ tasks: ["burgers"], alphas: [100, 0.01], seeds: [0, 1] }).map(
      (row) => ({
        ...row,
        excess_error: row.alpha === 100 ? 0 : row.seed,
      }),
    );
    // The interval is [-5.9, 6.9]; seeds are 0 and 1.
    const ticks = texts(named(scattered, "seed-excess")!.svg).filter((text) => /^−?\d\.\d$/.test(text));
    expect(ticks).toEqual(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  });

  it.each(["partition-statistics", "ablation-clients", "excess-beside-paper"])(
    "have dots of the seeds in place of error bars in %s",
    (name) => {
      const [of2, of4] = [few, four].map((records) => named(records, name)!);
      const dots = ({ svg }: { svg: string }) => svg.match(/fill-opacity="0\.6"/g)?.length ?? 0;
      expect([dots(of2) > 0, dots(of4)]).toEqual([true, 0]);
      expect(of2.caption).toContain("eans over seeds, small dots the single seeds");
      expect(of4.caption).toContain("eans over seeds with 95 % Student-t intervals");
    },
  );

  it("say what they show where some settings have few seeds and others enough", () => {
    const mixed = [
      ...syntheticRecords({ tasks: ["antiderivative"] }),
      ...syntheticRecords({ tasks: ["burgers"], seeds: [0, 1] }),
    ];
    expect(named(mixed, "test-error")!.caption).toContain(
      "bands two-sided 95 % Student-t intervals, thin curves the single seeds where these are fewer than 4.",
    );
    expect(named(mixed, "test-error")!.svg).toMatch(band);
  });

  it("speak of no mean where there is one seed, and draw no single dot", () => {
    const one = reportFigures(syntheticRecords({ tasks: ["burgers"], alphas: [100, 0.01], seeds: [7] }));
    expect(one.map(({ name }) => name)).not.toContain("seed-excess");
    for (const { caption } of one) expect(caption).not.toMatch(/\bmeans?\b|Student/i);
  });
});

describe("figures of runs whose folders are there", () => {
  const records = syntheticRecords({
    tasks: ["antiderivative", "burgers"],
    alphas: [100, 0.01],
    seeds: [3, 5],
  });
  const traces = [...new Set(records.map(({ run_id }) => run_id))].map((run_id, i) => ({
    run_id,
    losses: [0, 1, 1000].map((round) => ({ round, train_loss: 0.5 / (1 + round) })),
    counts: [
      [i, 20],
      [30, 40],
    ],
  }));
  const drawn = reportFigures(records, traces);
  const byName = (name: string) => drawn.find((figure) => figure.name === name)!;

  it("are losses over rounds and the partitions of every task's first seed", () => {
    expect(drawn.map(({ name }) => name)).toEqual([
      "test-error",
      "excess-error",
      "seed-excess",
      "training-loss",
      "partition-statistics",
      "partition-antiderivative",
      "partition-burgers",
      "mechanisms",
      "excess-beside-paper",
    ]);
    expect(byName("partition-burgers").title).toBe("Partitions of Burgers, seed 3");
    const [first, second] = traces.filter(({ run_id }) => /^burgers.*-3$/.test(run_id));
    expect(first.run_id).toContain("-100-3");
    expect(texts(byName("partition-burgers").svg)).toEqual(
      expect.arrayContaining([
        "α = 100",
        "α = 0.01",
        String(first.counts[0][0]),
        String(second.counts[0][0]),
      ]),
    );
    expect(texts(byName("training-loss").svg)).toContain("training loss");
    for (const { svg } of drawn) {
      assertWellFormed(svg);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it("draw the losses that the journals have, at their rounds", () => {
    const { svg } = byName("training-loss");
    // 0, 1 and 1000 have losses; the other checkpoints of the records have none.
    const dots = svg.match(/<circle [^>]*r="1\.7"/g)!;
    expect(dots).toHaveLength(2 * 2 * 3);
  });

  it("are left out without folders, and are those of the runs that have one", () => {
    expect(reportFigures(records).map(({ name }) => name)).not.toContain("training-loss");
    const some = reportFigures(records, traces.slice(-1)).map(({ name }) => name);
    expect(some).toContain("partition-burgers");
    expect(some).not.toContain("partition-antiderivative");
  });

  it("show partitions that two settings share once, and name files after settings", () => {
    const shared = traces.map((trace) => ({ ...trace, counts: [[1, 2]] }));
    const alike = records.map((row) => ({
      ...row,
      d_sol: 1,
      cv_n: 1,
      settings: {},
      task: `${row.task}, 5 local_steps/α`,
    }));
    const maps = reportFigures(alike, shared).filter(({ name }) => name.startsWith("partition-a"));
    expect(maps.map(({ name }) => name)).toEqual(["partition-antiderivative-5-local-steps"]);
    expect(maps[0].title).toMatch(/^Partitions of `antiderivative, .*` and `burgers, .*`, seed 3$/);
  });

  it("show at most six concentrations, the first and the last among them", () => {
    const many = syntheticRecords({
      tasks: ["burgers"],
      seeds: [0],
      alphas: [100, 50, 20, 10, 5, 2, 1, 0.5, 0.1],
    });
    const all = many.map(({ run_id }) => ({ run_id, losses: [], counts: [[1, 2]] }));
    const found = texts(reportFigures(many, all).find(({ name }) => name === "partition-burgers")!.svg);
    const shown = found.filter((text) => /^α = /.test(text));
    expect(shown).toHaveLength(6);
    expect(shown).toEqual(expect.arrayContaining(["α = 100", "α = 0.1"]));
  });
});
