import { describe, expect, it } from "vitest";
import { findings } from "../../src/analysis/findings.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { reportTables } from "../../src/analysis/tables/report-tables.js";
import { csvTable, htmlTable, latexTable, markdownTable } from "../../src/analysis/tables/table-formats.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { syntheticRecords, syntheticStudy, withSettings } from "../records/synthetic-records.js";

const subject = (records: readonly SeedRecord[]) => reportSubject(records, PAPER);
const titles = (records: readonly SeedRecord[]) => subject(records).cases.map(({ title }) => title);
const published = (records: readonly SeedRecord[]) =>
  subject(records)
    .cases.filter(({ isPublished }) => isPublished)
    .map(({ title }) => title);

describe("the cases of a report", () => {
  it("are the main settings of a publication, whose variations have tables of their own", () => {
    const all = ["Antiderivative", "Burgers", "Diffusion-reaction"];
    expect(titles(syntheticStudy())).toEqual(all);
    expect(published(syntheticStudy())).toEqual(all);
  });

  it("are settings that nobody published, named after what tells them apart", () => {
    const main = syntheticRecords({ tasks: ["burgers"] });
    const six = syntheticRecords({ tasks: ["burgers"], change: { clients: 6 } });
    const steps = syntheticRecords({ tasks: ["burgers"], settings: { local_steps: 1, bins: 3 } });
    expect(titles([...main, ...six, ...steps])).toEqual([
      "Burgers",
      "Burgers, 6 clients",
      "Burgers, bins 3, local steps 1",
    ]);
    expect(published([...main, ...six, ...steps])).toEqual(["Burgers"]);
  });

  it("are not named after what all runs have in common, which is said once", () => {
    const tasks = ["antiderivative", "burgers"];
    const own = syntheticRecords({ tasks, change: { clients: 6 }, settings: { bins: 3 } });
    expect(titles(own)).toEqual(["Antiderivative", "Burgers"]);
    expect(findings(subject(own)).coverage.run[0]).toBe(
      "Antiderivative and Burgers were run with 6 clients, bins 3, 1000 rounds.",
    );
  });

  it("are in the order of what varies, numbers ascending", () => {
    const widths = [100, 9, 16].flatMap((width) =>
      syntheticRecords({ tasks: ["wave"], settings: { width } }),
    );
    expect(titles(widths)).toEqual(["wave, model width 9", "wave, model width 16", "wave, model width 100"]);
  });

  it("have every table and figure, and nothing of a publication beside them", () => {
    const own = subject(syntheticRecords({ tasks: ["burgers"], settings: { bins: 3 } }));
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
    expect(own.published).toBeUndefined();
  });

  it("are unpublished where runs have another length, and say nothing of the publication", () => {
    const short = subject(syntheticStudy({ rounds: [0, 1, 10, 30] }));
    expect(short.published).toBeUndefined();
    const said = findings(short);
    const texts = [
      JSON.stringify(said),
      ...reportTables(short).flatMap((table) => [table.caption, markdownTable(table), latexTable(table)]),
      ...reportFigures(short).flatMap(({ name, title, caption, svg }) => [name, title, caption, svg]),
    ];
    expect(texts.filter((text) => /paper/i.test(text))).toEqual([]);
    expect(said.coverage.run[0]).toBe(
      "Antiderivative, Burgers and Diffusion-reaction were run with 30 rounds.",
    );
    expect(subject(syntheticStudy({ rounds: [0, 1000, 2000] })).published).toBeUndefined();
  });

  it("say how far they came where that differs", () => {
    const main = syntheticRecords({ tasks: ["burgers"] });
    const short = syntheticRecords({ tasks: ["burgers"], rounds: [0, 30], change: { clients: 20 } });
    expect(titles([...main, ...short])).toEqual(["Burgers", "Burgers, 20 clients, 30 rounds"]);
    expect(subject([...main, ...short]).axes).toEqual([]); // errors of other rounds are no comparison
  });

  it("include a variation of a publication without its main setting", () => {
    const sgd = syntheticRecords({ tasks: ["burgers"], change: { optimizer: "sgd" } });
    expect(titles(sgd)).toEqual(["Burgers"]);
    expect(published(sgd)).toEqual([]);
    expect(subject(sgd).published).toBe(PAPER);
  });

  it("are compared with the reference that they have", () => {
    const other = syntheticRecords({ tasks: ["antiderivative"] }).map((record) => ({
      ...record,
      reference_alpha: 10,
      excess_error: record.alpha === 10 ? 0 : record.excess_error + 1,
    }));
    expect(findings(subject(other)).coverage.run[0]).toBe(
      "Antiderivative was run with reference α = 10, 1000 rounds.",
    );
    const [, excess] = reportTables(subject(other));
    expect(markdownTable(excess)).toMatch(/\| 100 e_10 \| α = 100 \| α = 1 \| α = 0.1 \| α = 0.01 \|/);
    expect(excess.caption).toContain("the same seed and α = 10:");
  });

  it("are published with the batches that the paper gives a range of, and with one file of data", () => {
    const darcy = (batch: number) => syntheticRecords({ tasks: ["darcy"], settings: { batch } });
    expect(published(darcy(8))).toEqual(["Darcy flow (simulated)"]);
    expect(published(darcy(32))).toEqual([]);
    expect(published(syntheticRecords({ tasks: ["darcy"], settings: { width: 8 } }))).toEqual([]);
    const file = syntheticRecords({ tasks: ["imported-darcy"], settings: { data: "aaaaaaaa" } });
    expect(published(file)).toEqual(["Darcy flow (imported)"]);
  });

  it("are told apart where two files come together, none of them then published", () => {
    const file = (data: string) => syntheticRecords({ tasks: ["imported-darcy"], settings: { data } });
    const both = [...file("aaaaaaaa"), ...file("bbbbbbbb")];
    expect(titles(both)).toEqual([
      "Darcy flow (imported), data aaaaaaaa",
      "Darcy flow (imported), data bbbbbbbb",
    ]);
    expect(published(both)).toEqual([]);
  });

  it("are published with an option that came later, as long as nobody changed it", () => {
    const later = (overrides: readonly string[]) =>
      withSettings(syntheticRecords({ tasks: ["burgers"] }), { dropout: 0 }).map((row) => ({
        ...row,
        overrides,
      }));
    expect(published(later([]))).toEqual(["Burgers"]);
    expect(published(later(["dropout"]))).toEqual([]);
  });

  it("are those of data that nobody knows, whose names are text", () => {
    const foreign = subject(syntheticRecords({ tasks: ["my_task_2"], alphas: [100, 0.01] }));
    const [table] = reportTables(foreign);
    expect(htmlTable(table)).toContain("<code>my_task_2</code>");
    expect(latexTable(table)).toContain("\\texttt{my\\_task\\_2} & ");
    expect(csvTable(table)).toMatch(/^my_task_2,\d/m); // no column tells ours from published ones
    const [figure] = reportFigures(foreign);
    expect(figure.svg).toContain(">my_task_2</text>");
  });

  it("have the title that their runs recorded, which is text", () => {
    const named = (title: string) =>
      subject(syntheticRecords({ tasks: ["darcy"] }).map((row) => ({ ...row, title }))).cases[0].title;
    expect(named("Ocean currents")).toBe("Ocean currents");
    expect(named("u_t = α u^2")).toBe("`u_t = α u^2`");
  });

  it("are those of earlier tables, whose options are not known", () => {
    const unknown = syntheticRecords({ tasks: ["burgers"] }).map((row) => ({
      ...row,
      settings: { viscosity: 0.1, clients: 10, optimizer: "adam" },
      overrides: ["unknown_options"],
    }));
    expect(titles(unknown)).toEqual(["Burgers"]);
    expect(findings(subject(unknown)).coverage.run[0]).toBe(
      "Burgers was run with unknown options, 1000 rounds.",
    );
    expect(titles([...unknown, ...syntheticRecords({ tasks: ["burgers"] })])).toEqual([
      "Burgers",
      "Burgers, unknown options",
    ]);
  });
});
