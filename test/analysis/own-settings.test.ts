import { describe, expect, it } from "vitest";
import { claims, measured } from "../../src/analysis/claims.js";
import { findings } from "../../src/analysis/findings.js";
import { distinctRecords } from "../../src/analysis/observations.js";
import { withOwnSettings } from "../../src/analysis/own-settings.js";
import { reportTables } from "../../src/analysis/report-tables.js";
import { csvTable, htmlTable, latexTable, markdownTable } from "../../src/analysis/table-formats.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

const tasksOf = (records: readonly SeedRecord[]) => [...new Set(records.map(({ task }) => task))];
const changed = (records: readonly SeedRecord[], words: string) =>
  records.map((record) => ({ ...record, changed: words }));

describe("settings that the paper does not have", () => {
  it("leave the paper's as they are", () => {
    const study = distinctRecords(syntheticStudy());
    const { records, changed } = withOwnSettings(study);
    expect(distinctRecords(records)).toEqual(study);
    expect(changed.size).toBe(0);
  });

  it("are tasks of their own, named after what is changed", () => {
    const six = syntheticRecords({ tasks: ["burgers"], change: { clients: 6 } });
    const steps = changed(syntheticRecords({ tasks: ["burgers"] }), "local_steps=1 bins=3");
    const main = syntheticRecords({ tasks: ["burgers"] });
    const { records, changed: all } = withOwnSettings([...main, ...six, ...steps]);
    expect(tasksOf(records)).toEqual(["burgers", "Burgers, 6 clients", "Burgers, local steps 1, bins 3"]);
    expect(all.size).toBe(0);
  });

  it("are not named after what all runs of a task have in common, which is said once", () => {
    const tasks = ["antiderivative", "burgers"];
    const own = changed(syntheticRecords({ tasks, change: { clients: 6 } }), "bins=3");
    const { records, changed: all } = withOwnSettings(own);
    expect(tasksOf(records)).toEqual(["Antiderivative", "Burgers"]);
    expect(findings(records, all).coverage.run[0]).toBe(
      "Antiderivative and Burgers were run with 6 clients, bins 3.",
    );
  });

  it("have every table and figure, and nothing of the paper beside them", () => {
    const own = distinctRecords(
      withOwnSettings(changed(syntheticRecords({ tasks: ["burgers"] }), "bins=3")).records,
    );
    expect(reportFigures(own).map(({ name }) => name)).toEqual([
      "test-error",
      "excess-error",
      "seed-excess",
      "partition-statistics",
      "mechanisms",
    ]);
    const tables = reportTables(own);
    expect(tables.length).toBe(4);
    expect(tables.map((table) => markdownTable(table)).join()).not.toContain("paper");
    expect(measured(claims(own))).toEqual([]);
    expect(findings(own).answers[0].short).toMatch(/rise with every step of falling α in 1 of 1 task/);
  });

  it("are those of another length, which are neither judged by the paper's values nor shown beside them", () => {
    const short = syntheticStudy({ rounds: [0, 1, 10, 30] });
    const { records, changed: all, besidePaper } = withOwnSettings(short);
    expect(besidePaper).toBe(false);
    expect(all.get("Antiderivative")).toEqual(["30 rounds"]);
    const own = distinctRecords(records);
    const said = findings(own, all);
    const texts = [
      JSON.stringify(said),
      ...reportTables(own).flatMap((table) => [table.caption, markdownTable(table), latexTable(table)]),
      ...reportFigures(own).flatMap(({ name, title, caption, svg }) => [name, title, caption, svg]),
    ];
    expect(texts.filter((text) => /paper/i.test(text))).toEqual([]);
    expect(measured(claims(own))).toEqual([]);
    expect(said.coverage.run[0]).toBe(
      "Antiderivative, Burgers and Diffusion-reaction were run with 30 rounds.",
    );
    const long = withOwnSettings(syntheticStudy({ rounds: [0, 1000, 2000] }));
    expect(long.besidePaper).toBe(false);
  });

  it("stand beside the paper's main setting without being judged, where an ablation is shorter", () => {
    const main = syntheticRecords({ tasks: ["burgers"] });
    const short = syntheticRecords({ tasks: ["burgers"], rounds: [0, 30], change: { clients: 20 } });
    const { records, besidePaper } = withOwnSettings([...main, ...short]);
    expect(besidePaper).toBe(true);
    expect(tasksOf(records)).toEqual(["burgers", "Burgers, 20 clients, 30 rounds"]);
    expect(reportTables(distinctRecords(records)).map(({ name }) => name)).not.toContain("ablation-clients");
  });

  it("include an ablation of the paper without the main setting, which is judged as its own as well", () => {
    const { records } = withOwnSettings(
      syntheticRecords({ tasks: ["burgers"], change: { optimizer: "sgd" } }),
    );
    expect(tasksOf(records)).toEqual(["burgers", "Burgers, momentum SGD"]);
    const { run } = findings(distinctRecords(records)).coverage;
    expect(run).toEqual([
      "Burgers, momentum SGD: 25 of the paper's 25 runs at round 1000 (α = 100, 10, 1, 0.1, 0.01; seeds 0, 1, 42, 999, 2026).",
    ]);
  });

  it("are compared with the reference that they have", () => {
    const other = syntheticRecords({ tasks: ["antiderivative"] }).map((record) => ({
      ...record,
      reference_alpha: 10,
      excess_error: record.alpha === 10 ? 0 : record.excess_error + 1,
    }));
    const { records, changed: all } = withOwnSettings(other);
    expect([...all]).toEqual([["Antiderivative", ["reference α = 10"]]]);
    const [, excess] = reportTables(distinctRecords(records));
    const text = markdownTable(excess);
    expect(text).toMatch(/\| 100 e_10 \| α = 100 \| α = 1 \| α = 0.1 \| α = 0.01 \|/);
    expect(excess.caption).toContain("the same seed and α = 10:");
  });

  it("are not those with the batches that the paper gives a range of, or with one file of data", () => {
    const darcy = syntheticRecords({ tasks: ["darcy"] });
    const papers = withOwnSettings(changed(darcy, "batch=8")).records;
    expect(tasksOf(papers)).toEqual(["darcy"]);
    expect(papers.every((record) => record.changed === "")).toBe(true);
    expect(tasksOf(withOwnSettings(changed(darcy, "batch=32")).records)).toEqual(["Darcy flow (simulated)"]);
    const file = syntheticRecords({ tasks: ["imported-darcy"] });
    expect(tasksOf(withOwnSettings(changed(file, "data=aaaaaaaa")).records)).toEqual(["imported-darcy"]);
  });

  it("are told apart where two files, or two such batches, come together", () => {
    const file = syntheticRecords({ tasks: ["imported-darcy"], seeds: [0, 1] });
    const both = [...changed(file, "data=aaaaaaaa"), ...changed(file, "data=bbbbbbbb")];
    expect(tasksOf(withOwnSettings(both).records)).toEqual([
      "Darcy flow (imported), data aaaaaaaa",
      "Darcy flow (imported), data bbbbbbbb",
    ]);
  });

  it("are never pooled with the paper's, also where nobody told them apart", () => {
    const main = syntheticRecords({ tasks: ["burgers"] });
    const other = changed(main, "bins=3").map((row) => ({ ...row, excess_error: row.excess_error + 50 }));
    expect(reportTables(distinctRecords([...main, ...other]))).toEqual(reportTables(distinctRecords(main)));
  });

  it("have each the rounds that they came to", () => {
    const short = changed(syntheticRecords({ tasks: ["burgers"], rounds: [0, 1, 50] }), "bins=3");
    const { records } = withOwnSettings([...syntheticRecords({ tasks: ["burgers"] }), ...short]);
    const { run } = findings(distinctRecords(records)).coverage;
    expect(run.map((words) => words.replace(/ \(.*/, ""))).toEqual([
      "Burgers: 25 of the paper's 25 runs at round 1000",
      "Burgers, bins 3, 50 rounds: 25 runs at round 50",
    ]);
  });

  it("are those of tasks that this program does not know, whose names are text", () => {
    const foreign = syntheticRecords({ tasks: ["my_task_2"], alphas: [100, 0.01] });
    const { records, besidePaper } = withOwnSettings(foreign);
    expect(besidePaper).toBe(false);
    const [table] = reportTables(distinctRecords(records));
    expect(htmlTable(table)).toContain("<code>my_task_2</code>");
    expect(latexTable(table)).toContain("\\texttt{my\\_task\\_2} & ");
    expect(csvTable(table)).toMatch(/^my_task_2,\d/m); // no column tells ours from the paper's
    const [figure] = reportFigures(distinctRecords(records));
    expect(figure.svg).toContain(">my_task_2</text>");
  });

  it("are those of earlier tables, whose options are not known", () => {
    const { records, changed: all } = withOwnSettings(
      changed(syntheticRecords({ tasks: ["burgers"] }), "unknown_options"),
    );
    expect(tasksOf(records)).toEqual(["Burgers"]);
    expect(all.get("Burgers")).toEqual(["unknown options"]);
  });
});
