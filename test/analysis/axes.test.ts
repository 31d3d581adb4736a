import { describe, expect, it } from "vitest";
import type { Axis } from "../../src/analysis/axes/axes.js";
import { axisFindings, axisSummary } from "../../src/analysis/axes/axis-findings.js";
import { reportSummary } from "../../src/analysis/report-summary.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { axisTable } from "../../src/analysis/tables/axis-table.js";
import { reportTables } from "../../src/analysis/tables/report-tables.js";
import { csvTable, markdownTable } from "../../src/analysis/tables/table-formats.js";
import { axisFigure } from "../../src/figures/levels/axis-curves.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import { parseTable } from "../../src/files/csv.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import type { Settings } from "../../src/records/settings.js";
import { assertWellFormed, texts } from "../figures/well-formed.js";
import { type SyntheticOptions, syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

const runs = (settings: Settings, options: SyntheticOptions = {}) =>
  syntheticRecords({ tasks: ["wave"], rounds: [0, 50], settings, ...options });
const axes = (records: readonly SeedRecord[]) => reportSubject(records, PAPER).axes;
const shape = ({ name, comparisons }: Axis) => [
  name,
  comparisons.map(({ title, levels }) => [title, ...levels.map(({ label }) => label)]),
];
const widths = [...runs({ width: 32 }), ...runs({ width: 16 })];

/** Runs at alpha 100 and 0.01 whose excess errors at the latter are these. */
function withExcess(settings: Settings, excess: readonly number[]): SeedRecord[] {
  const seeds = excess.map((_, seed) => seed);
  return runs(settings, { alphas: [100, 0.01], seeds, rounds: [50] }).map((row) => ({
    ...row,
    excess_error: row.alpha === 100 ? 0 : excess[row.seed],
  }));
}

describe("what a study varies", () => {
  it("is a setting with several values, numbers in ascending order", () => {
    expect(axes(widths).map(shape)).toEqual([["width", [["wave", "model width 16", "model width 32"]]]]);
    expect(axes(runs({ width: 16 }))).toEqual([]);
  });

  it("is said in ordinary words, whatever the setting is", () => {
    const labels = (a: Settings, b: Settings) =>
      axes([...runs(a), ...runs(b)])[0].comparisons[0].levels.map(({ label }) => label);
    expect(labels({ bins: 5 }, { bins: 10 })).toEqual(["bins 5", "bins 10"]);
    expect(labels({ viscosity: 0.05 }, { viscosity: 0.1 })).toEqual(["viscosity 0.05", "viscosity 0.1"]);
    expect(labels({ initialiser: "pytorch" }, { initialiser: "glorot-normal" })).toEqual([
      "initialiser glorot-normal",
      "initialiser pytorch",
    ]);
    expect(labels({ clients: 6 }, { clients: 12 })).toEqual(["6 clients", "12 clients"]);
    expect(labels({ tf32: true }, {})).toEqual(["no TF32", "TF32"]);
    expect(labels({ my_option: "a_b" }, { my_option: "c" })).toEqual(["my option `a_b`", "my option c"]);
  });

  it("is one thing where settings always change together, such as an optimiser and its rate", () => {
    const sgd = runs({ optimizer: "sgd", rate: 0.01, momentum: 0.9 }).map((row) => ({
      ...row,
      overrides: ["optimizer"],
    }));
    expect(axes([...runs({}), ...sgd]).map(shape)).toEqual([
      ["optimizer", [["wave", "Adam", "momentum SGD"]]],
    ]);
  });

  it("is each of several things, with the others in the titles of small multiples", () => {
    const grid = [16, 32].flatMap((width) =>
      ["glorot-normal", "pytorch"].flatMap((initialiser) => runs({ width, initialiser })),
    );
    expect(axes(grid).map(shape)).toEqual([
      [
        "width",
        [
          ["wave, initialiser glorot-normal", "model width 16", "model width 32"],
          ["wave, initialiser pytorch", "model width 16", "model width 32"],
        ],
      ],
      [
        "initialiser",
        [
          ["wave, model width 16", "initialiser glorot-normal", "initialiser pytorch"],
          ["wave, model width 32", "initialiser glorot-normal", "initialiser pytorch"],
        ],
      ],
    ]);
  });

  it("is everything together where no two cases differ in one thing alone", () => {
    const three = [
      ...runs({ width: 16, bins: 5 }),
      ...runs({ width: 32, bins: 10 }),
      ...runs({ width: 64, bins: 5, depth: 3 }),
    ];
    expect(axes(three).map(shape)).toEqual([
      [
        "settings",
        [
          [
            "wave",
            "model width 16, bins 5",
            "model width 32, bins 10",
            "model width 64, bins 5, model depth 3",
          ],
        ],
      ],
    ]);
  });

  it("is the data, where several have the same settings otherwise", () => {
    const two = syntheticRecords({ tasks: ["wave", "heat"], rounds: [0, 50] });
    expect(axes(two).map(shape)).toEqual([["data", [["Data", "heat", "wave"]]]]);
    const grid = [16, 32].flatMap((width) => runs({ width }, { tasks: ["wave", "heat"] }));
    expect(axes(grid).map(shape)[1]).toEqual([
      "data",
      [
        ["model width 16", "heat", "wave"],
        ["model width 32", "heat", "wave"],
      ],
    ]);
  });

  it("is nothing in a study of the paper, which compares its ablations itself", () => {
    expect(axes(syntheticStudy())).toEqual([]);
    const own = [
      ...syntheticRecords({ tasks: ["burgers"] }),
      ...runs({ bins: 3 }, { tasks: ["burgers"], rounds: [1000] }),
    ];
    expect(axes(own).map(shape)).toEqual([["bins", [["Burgers", "bins 3", "bins 10"]]]]);
  });

  it("is limited to what a reader takes in, and says what is left out", () => {
    const many = Array.from({ length: 11 }, (_, i) =>
      runs({ width: i + 1 }, { seeds: [0], alphas: [100, 1] }),
    ).flat();
    const [axis] = axes(many);
    expect([axis.comparisons[0].levels.length, axis.left]).toEqual([8, 3]);
    expect(axisTable(axis).caption).toMatch(/ 3 more levels are left out\.$/);
    expect(axisFigure(axis)!.caption).toMatch(/ 3 more levels are left out\.$/);
  });
});

describe("the table of a comparison", () => {
  it("has what a hand computes for every level and concentration", () => {
    const two = [...withExcess({ width: 16 }, [1, 2, 3]), ...withExcess({ width: 32 }, [4, 4, 4])];
    const table = axisTable(axes(two)[0]);
    const { header = [], rows } = parseTable(csvTable(table), "csv");
    const at = (level: string, alpha: string) =>
      Object.fromEntries(
        rows.find((row) => row[0] === level && row[1] === alpha)!.map((cell, i) => [header[i], cell]),
      );
    // 2 ± t / sqrt(3), with the closed form of the quantile of t with two degrees of freedom.
    const half = (0.95 * Math.sqrt(2 / (1 - 0.95 ** 2))) / Math.sqrt(3);
    const first = at("model width 16", "0.01");
    expect([first.excess_error, first.excess_error_sd, first.seeds]).toEqual(["2", "1", "3"]);
    expect(Number(first.excess_error_low)).toBeCloseTo(2 - half, 10);
    expect(at("model width 32", "0.01").excess_error).toBe("4");
    expect(at("model width 32", "100").excess_error).toBe(""); // the reference has no excess over itself
    const own = two.filter(({ settings, alpha }) => settings.width === 32 && alpha === 100);
    const mean = (100 * own.reduce((sum, row) => sum + row.test_error, 0)) / 3;
    expect(Number(at("model width 32", "100").test_error_percent)).toBeCloseTo(mean, 10);
    expect(markdownTable(table)).toContain(
      "| Model width | α | Test error (%) | From model width 16 (pp) | Excess (pp) | Clients (%) | Worst client (%) | Client spread (pp) | " +
        "D_sol | H_g^norm | D_θ | Seeds |",
    );
  });

  it("does without a reference", () => {
    const alone = widths
      .filter(({ alpha }) => alpha < 100)
      .map((row) => ({ ...row, excess_error: NaN, d_theta: NaN, reference_alpha: NaN }));
    const [axis] = axes(alone);
    expect(axisTable(axis).columns.map(({ heading }) => heading)).not.toContain("Excess (pp)");
    expect(axisFigure(axis)!.caption).toMatch(/^Relative test error, after 50 rounds/);
    expect(axisFindings(axis)).toHaveLength(1);
  });
});

describe("the figure of a comparison", () => {
  const figure = axisFigure(axes(widths)[0])!;

  it("has one line a level with its interval, and every seed as a dot", () => {
    assertWellFormed(figure.svg);
    expect(texts(figure.svg)).toEqual(
      expect.arrayContaining(["model width 16", "model width 32", "one seed"]),
    );
    const seeds = figure.svg.match(/<circle [^>]*r="1\.5"/g)!;
    expect(seeds).toHaveLength(2 * 4 * 5 + 1); // levels, concentrations, seeds, and the legend's
    expect(figure.caption).toContain("bars 95 % Student-t intervals, small dots single seeds");
  });

  it("is the first of a report, beside its table", () => {
    const subject = reportSubject(widths);
    expect(reportFigures(subject)[0].name).toBe("compare-width");
    expect(reportTables(subject).map(({ name }) => name)).toContain("compare-width");
  });
});

describe("what is said of a comparison", () => {
  const said = (a: readonly number[], b: readonly number[]) =>
    axisFindings(axes([...withExcess({ width: 16 }, a), ...withExcess({ width: 32 }, b)])[0])[0];

  it("is the difference, paired by seed, and whether its interval excludes zero", () => {
    expect(said([1, 2, 3], [2, 3.1, 4.2])).toBe(
      "wave, α = 0.01: the excess error is 2.000 [−0.484, 4.484] pp (model width 16), " +
        "3.100 [0.367, 5.833] pp (model width 32). Against model width 16, paired over three seeds, it changes by " +
        "1.100 [0.852, 1.348] pp with model width 32 (the 95 % interval lies above zero).",
    );
    expect(said([1, 2, 3], [3, 1, 2])).toContain("(the 95 % interval includes zero)");
    expect(said([1], [3])).toContain("(one seed, so without an interval)");
  });

  it("is counted in one sentence of the summary", () => {
    const summary = (a: readonly number[], b: readonly number[]) =>
      axisSummary(axes([...withExcess({ width: 16 }, a), ...withExcess({ width: 32 }, b)])[0]);
    const start =
      "Model width: at α = 0.01, the 95 % interval of the difference from model width 16, paired by seed, ";
    expect(summary([1, 2, 3], [2, 3.1, 4.2])).toContain(
      `${start}excludes zero in excess error for 1 of 1 and in test error`,
    );
    expect(summary([1, 2, 3], [3, 1, 2])).toContain(`${start}excludes zero in excess error for none of 1`);
    expect(summary([1], [3])).toBeUndefined();
    expect(reportSummary(reportSubject(widths))).toHaveLength(4);
  });
});
