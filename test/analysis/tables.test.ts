import { describe, expect, it } from "vitest";
import { reportSubject, type Subject } from "../../src/analysis/subject.js";
import { distanceTable, spearmanTable } from "../../src/analysis/tables/correlation-tables.js";
import { excessTable } from "../../src/analysis/tables/excess-table.js";
import { reportTables } from "../../src/analysis/tables/report-tables.js";
import { summaryTable } from "../../src/analysis/tables/summary-table.js";
import { estimateCell, fixed, intervalCell, type Table, textCell } from "../../src/analysis/tables/table.js";
import { csvTable, htmlTable, latexTable, markdownTable } from "../../src/analysis/tables/table-formats.js";
import { parseTable } from "../../src/files/csv.js";
import { ablationTables } from "../../src/paper/ablation-tables.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { assertWellFormed } from "../figures/well-formed.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

const study = syntheticStudy();

/** A function of a subject as one of records, beside the paper. */
const ofRecords =
  <T>(make: (subject: Subject) => T) =>
  (records: readonly SeedRecord[]) =>
    make(reportSubject(records, PAPER));
const [summary, excess, distances, ranks] = [summaryTable, excessTable, distanceTable, spearmanTable].map(
  ofRecords,
);
const tables = ofRecords(reportTables);

/** Three seeds whose mean excess is 2 with standard deviation 1: 2 ± t / sqrt(3). */
const simple = syntheticRecords({
  tasks: ["burgers"],
  alphas: [100, 0.01],
  seeds: [1, 2, 3],
  rounds: [1000],
}).map((record) =>
  record.alpha === 100
    ? { ...record, test_error: 0.1 * record.seed, d_sol: 0 }
    : { ...record, excess_error: record.seed, d_sol: 0.5, h_g_norm: 0.25, d_theta: 0.125 * record.seed },
);
/** The quantile of t with two degrees of freedom has a closed form, x sqrt(2 / (1 - x^2)) at level x. */
const HALF = (0.95 * Math.sqrt(2 / (1 - 0.95 ** 2))) / Math.sqrt(3);

function rowOf(table: Table, ...start: string[]): string[] {
  const rows = parseTable(csvTable(table), table.name).rows;
  return [...rows.find((row) => start.every((cell, i) => row[i] === cell))!];
}

describe("the summary at alpha = 0.01", () => {
  it("has what a hand computes, in full digits in CSV", () => {
    const row = rowOf(summary(simple), "Burgers", "here");
    const numbers = row.slice(2).map(Number);
    // Means with sample standard deviations of 0.125, 0.25, 0.375 and of 10, 20, 30 %, then the interval.
    [0.5, 0, 0.25, 0, 0.25, 0.125, 20, 10, 2, 1, 2 - HALF, 2 + HALF, 3].forEach((value, i) => {
      expect(numbers[i]).toBeCloseTo(value, 10);
    });
  });

  it("takes the reference's error over the seeds that the severest concentration has", () => {
    const two = simple.filter(({ alpha, seed }) => alpha === 100 || seed < 3);
    const row = rowOf(summary(two), "Burgers", "here").map(Number);
    expect(row[8]).toBeCloseTo(15, 10); // of 10 and 20 %, not of 10, 20 and 30 %
    expect(row.at(-1)).toBe(2);
  });

  it("has the paper's row below each of ours", () => {
    const paper = rowOf(summary(study), "Burgers", "paper").slice(2);
    expect(paper.join()).toBe("0.955,,0.488,,0.704,,18.969,,0.916,,0.238,1.595,5");
    const sources = parseTable(csvTable(summary(study)), "summary").rows.map((row) => row[1]);
    expect(sources).toEqual(["here", "paper", "here", "paper", "here", "paper"]);
  });

  it("sets an interval in bold where it excludes zero, and only there", () => {
    expect(intervalCell(0.1, 0.2).strong).toBe(true);
    expect(intervalCell(-0.2, -0.1).strong).toBe(true);
    expect(intervalCell(0, 0.2).strong).toBe(false);
    expect(markdownTable(summary(study))).toContain("**[0.238, 1.595]**");
    expect(markdownTable(summary(study))).toContain("| [−0.292, 0.751] |");
  });

  it("leaves a task without the paper's row where the paper has none", () => {
    const foreign = syntheticRecords({ tasks: ["wave"] });
    expect(markdownTable(summary(foreign))).not.toContain("paper |");
  });
});

describe("correlation tables", () => {
  it("take Pearson's with the reference and Spearman's without it", () => {
    expect(rowOf(distances(study), "Burgers", "here").at(-1)).toBe("25");
    expect(rowOf(ranks(study), "Burgers", "here").at(-1)).toBe("20");
    // With the reference the parameter distance follows D_sol from (0, 0); without it D_sol is constant.
    const all = simple.map((record) => (record.alpha === 100 ? { ...record, d_theta: 0 } : record));
    const pearson = Number(rowOf(distances(all), "Burgers", "here")[4]);
    expect(pearson).toBeCloseTo(3 / Math.sqrt(1.5 * 8), 10); // x = 0 0 0 1 1 1, y = 0 0 0 1 2 3
  });

  it("have no row for a task with too few runs for any correlation", () => {
    expect(ranks(simple).groups).toEqual([]);
    const few = simple.filter(({ seed }) => seed === 3);
    expect(distances(few).groups).toEqual([]);
    expect(tables(few).map(({ name }) => name)).toEqual(["alpha-0.01-summary", "excess-error"]);
  });

  it("have the paper's values", () => {
    expect(rowOf(distances(study), "Diffusion-reaction", "paper").slice(2)).toEqual(
      "0.84 0.84 0.72 0.65 0.4 0.54 ".split(" "),
    );
    expect(rowOf(ranks(study), "Antiderivative", "paper").slice(2)).toEqual(["0.69", "0.66", "0.2", "20"]);
  });
});

describe("excess-error tables", () => {
  it("have every concentration with its interval, and the paper's where stated", () => {
    const [error, errorSd, errorSeeds, ...rest] = rowOf(excess(simple), "Burgers", "here")
      .slice(2)
      .map(Number);
    expect([error, errorSd, errorSeeds]).toEqual([expect.closeTo(20, 10), expect.closeTo(10, 10), 3]);
    expect(rest).toEqual([2, 1, expect.closeTo(2 - HALF, 10), expect.closeTo(2 + HALF, 10), 3, 3]);
    expect(markdownTable(excess(simple))).toContain("2.000 (1.000) [−0.484, 4.484] |");
    expect(markdownTable(excess(study))).toContain("**0.645 [0.271, 1.018]**");
  });

  it("take the reference's error over the seeds that something is compared with, and count seeds", () => {
    const survivor = simple.filter(({ alpha, seed }) => alpha === 100 || seed === 3);
    const row = rowOf(excess(survivor), "Burgers", "here");
    expect(row.slice(2, 5)).toEqual([expect.stringMatching(/^30(\.0+\d)?$/), "", "1"]);
    expect(row.slice(5)).toEqual(["3", "", "", "", "1", "1"]);
    const both = survivor.concat(
      simple.filter(({ alpha }) => alpha === 0.01).map((row) => ({ ...row, alpha: 0.1 })),
    );
    expect(markdownTable(excess(both))).toMatch(
      /\| 20\.000 \(10\.000\), n = 3 \| 2\.000 \(1\.000\) \[.*\], n = 3 \| 3\.000, n = 1 \| 1–3 \|/,
    );
  });

  it("compare the settings of each ablation with the paper's means and verdicts", () => {
    const [clients, optimizer, viscosity] = ablationTables({ records: study });
    expect(rowOf(clients, "Burgers", "20 clients", "paper").slice(-6).join()).toBe("1.151,,,,5,5");
    expect(rowOf(optimizer, "Burgers", "momentum SGD", "paper")[3]).toBe("24.34");
    expect(markdownTable(optimizer)).toContain("includes 0");
    expect(rowOf(viscosity, "Burgers", "ν = 0.01", "paper").slice(-6).join()).toBe("4.157,,3.085,5.228,5,5");
  });

  it("are left out for ablations without records", () => {
    expect(tables(simple).map(({ name }) => name)).toEqual([
      "alpha-0.01-summary",
      "excess-error",
      "distance-comparison",
    ]);
    expect(tables([])).toEqual([]);
  });

  it("say how many seeds there are where that differs between concentrations", () => {
    const uneven = simple.concat(
      syntheticRecords({ tasks: ["burgers"], alphas: [0.1], seeds: [1], rounds: [1000] }),
    );
    expect(rowOf(excess(uneven), "Burgers", "here").at(-1)).toBe("1–3");
    const text = markdownTable(excess(uneven));
    expect(text).toContain(" 2.000 (1.000) [−0.484, 4.484], n = 3 |");
    expect(text).toMatch(/\| −?\d\.\d+, n = 1 \|/);
  });
});

describe("table formats", () => {
  const table: Table = {
    name: "t",
    title: "T",
    caption: "100 % of D_sol & more",
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      { heading: "Δe_0.01", csv: ["mean", "sd", "low", "high", "seeds"] },
    ],
    groups: [
      [
        [
          textCell("my task #1 | {x}, a < b"),
          estimateCell({ mean: -0.5, sd: 0.5, low: -1, high: 0.25, seeds: 4 }),
        ],
      ],
      [[textCell("b"), estimateCell(undefined)]],
    ],
  };

  it("write LaTeX with booktabs and escape what it would take for commands", () => {
    const latex = latexTable(table);
    expect(latex).toContain("\\caption{100 \\% of $D_{\\mathrm{sol}}$ \\& more}");
    expect(latex).toContain("my task \\#1 | \\{x\\}, a $<$ b & $-$0.500 (0.500) [$-$1.000, 0.250] \\\\");
    expect(latex.match(/\\(top|mid|bottom)rule/g)).toHaveLength(3);
    expect(latex).toContain("Task & $\\Delta e_{\\mathrm{0.01}}$ \\\\");
  });

  it("write Markdown whose cells stay cells", () => {
    const [header, rule, first] = markdownTable(table).split("\n");
    expect(header).toBe("| Task | Δe_0.01 |");
    expect(rule).toBe("|---|---:|");
    expect(first).toContain("my task #1 \\| {x}, a \\< b");
  });

  it("write CSV with quoted text and empty cells", () => {
    expect(csvTable(table)).toBe(
      'task,mean,sd,low,high,seeds\n"my task #1 | {x}, a < b",-0.5,0.5,-1,0.25,4\nb,,,,,\n',
    );
  });

  it("write well-formed HTML", () => {
    for (const one of [table, ...tables(study)]) assertWellFormed(htmlTable(one));
  });

  it("write two digits of numbers that would be nothing but zeros", () => {
    expect([0.00027, -0.0000038, 0.0004999, 0.0005].map((value) => fixed(value))).toEqual([
      "0.00027",
      "−0.0000038",
      "0.00050",
      "0.001",
    ]);
    expect([0, 0.004].map((value) => fixed(value, 2))).toEqual(["0.00", "0.0040"]);
  });

  it("write no negative zero", () => {
    expect(fixed(-1e-12)).toBe("0.000");
    expect(fixed(-0.0006)).toBe("−0.001");
  });
});
