import { describe, expect, it } from "vitest";
import { distinctRecords } from "../../src/analysis/observations.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";
import { assertWellFormed, texts } from "./well-formed.js";

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
      "partition-statistics",
      "test-error",
      "excess-error",
      "mechanisms",
      "seed-excess",
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
    const wild = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1] }).map((row) =>
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
    const wild = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1] }).map((row) =>
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
