import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PAPER_ADDITIONS } from "../../src/paper/additions.js";
import { PAPER } from "../../src/paper/published.js";
import { readCsv, writeCsv, writeParquet } from "../../src/records/seed-table.js";
import { studySummary } from "../../src/report/study-summary.js";
import { type ReportOptions, writeReport as writeAny } from "../../src/report/write-report.js";
import { texts } from "../figures/well-formed.js";
import { syntheticRecords } from "../records/synthetic-records.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const records = syntheticRecords({ tasks: ["antiderivative"], seeds: [0, 1], alphas: [100, 1, 0.01] });

function study(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  mkdirSync(path(name), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(path(`${name}/${file}`), content);
  return path(name);
}

/** As the command writes it. */
const writeReport = (folder: string, options: ReportOptions = {}) =>
  writeAny(folder, { ...options, additions: PAPER_ADDITIONS });

describe("report", () => {
  it("writes a page, tables and figures from Parquet, and says what it found", async () => {
    study("parquet", { "records.parquet": writeParquet(records) });
    const { status, stdout, stderr } = await run("report", "parquet");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^6 runs trained Antiderivative by FedAvg for 1000 rounds with K = 10 clients/);
    expect(stdout).toContain("\nThe mean relative test error is ");
    expect(stdout).toContain("RQ1  Mean D_sol");
    expect(stdout).toContain("Written: parquet/report.html");
    const page = readFileSync(path("parquet/report.html"), "utf8");
    expect(page).toContain("<h1>Results of synthetic</h1>");
    expect(readFileSync(path("parquet/figures/mechanisms.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    expect(readFileSync(path("parquet/figures/mechanisms.png")).subarray(1, 4).toString()).toBe("PNG");
    expect(readFileSync(path("parquet/tables/excess-error.tex"), "utf8")).toContain("\\toprule");
  });

  it("gives the same from CSV as from Parquet, and replaces an earlier report", async () => {
    const csv = await writeReport(study("csv", { "records.csv": writeCsv(records) }));
    const parquet = await writeReport(study("csv", { "records.parquet": writeParquet(records) }));
    expect(csv.report.tables).toEqual(parquet.report.tables);
    expect(csv.report.figures).toEqual(parquet.report.figures);
  });

  it("reads ablations from other folders and writes elsewhere", async () => {
    const main = study("main", { "records.csv": writeCsv(records) });
    const more = syntheticRecords({ tasks: ["antiderivative"], seeds: [0, 1], change: { clients: 20 } });
    const others = [study("clients", { "records.csv": writeCsv([...more, ...records]) })];
    const { report, page } = await writeReport(main, { others, out: path("both"), title: "Both" });
    expect(page).toBe(path("both/report.html"));
    expect(report.tables.map(({ name }) => name)).toContain("ablation-clients");
    expect(report.facts).toContainEqual(["Records", String(records.length + more.length)]);
  });

  it("says which runs its means leave out, in every caption and on the terminal", async () => {
    const survivors = records.filter(({ alpha, seed }) => alpha !== 0.01 || seed === 0);
    study("survivors", { "records.csv": writeCsv(survivors) });
    const { stdout } = await run("report", "survivors");
    const sentence = "Antiderivative, α = 0.01: seed 1 without a record.";
    expect(stdout).toContain(`1 of 6 runs are left out of means and correlations.\n${sentence}\n`);
    const page = readFileSync(path("survivors/report.html"), "utf8");
    const [tables, figures] = ['<section class="table"', "<figure id="].map(
      (tag) => page.split(tag).length - 1,
    );
    expect(page.split("1 of 6 runs are left out: ").length - 1).toBe(tables + figures);
    expect(readFileSync(path("survivors/report.md"), "utf8")).toContain(`Missing runs:\n\n- 1 of 6 runs`);
    const latex = readFileSync(path("survivors/tables/excess-error.tex"), "utf8");
    expect(latex).toContain(
      "1 of 6 runs are left out: Antiderivative, $\\alpha$ = 0.01: seed 1 without a record.",
    );
  });

  it("has a summary for the terminal that says so too, with the paper's line below its own runs alone", async () => {
    const survivors = records.filter(({ alpha, seed }) => alpha !== 0.01 || seed === 0);
    const summary = (rows: typeof records) => studySummary(rows, [], PAPER);
    expect(summary(survivors).gaps).toBe(
      "1 of 6 runs are left out: Antiderivative, α = 0.01: seed 1 without a record.",
    );
    const first = (rows: typeof records) => summary(rows).rows.map(([name]) => name);
    expect(first(records)).toEqual([
      "Antiderivative",
      "  paper",
      "Antiderivative",
      "Antiderivative",
      "  paper",
    ]);
    expect(summary(records).gaps).toBe("");
    expect(first(records.filter(({ round }) => round <= 50))).not.toContain("  paper");
    expect(studySummary(records, []).rows.map(([name]) => name)).not.toContain("  paper");
  });

  it("names the paper only beside runs of its length, in every file", async () => {
    const short = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1], rounds: [0, 1, 30] });
    const { files } = await writeReport(study("short", { "records.csv": writeCsv(short) }));
    const texts = files
      .filter((file) => /\.(md|html|tex|csv|svg)$/.test(file))
      .map((file) => readFileSync(file, "utf8"));
    expect(texts.length).toBeGreaterThan(15);
    expect(texts.filter((text) => /paper|RQ[1-4]|Not in these records/i.test(text))).toEqual([]);
    const { stdout } = await run("report", "short");
    expect(stdout).toContain("10 runs trained Burgers by FedAvg for 30 rounds");
    expect(stdout).not.toMatch(/paper|RQ[1-4]/i);
    const long = syntheticRecords({ tasks: ["burgers"], seeds: [0, 1] });
    const { report } = await writeReport(study("long", { "records.csv": writeCsv(long) }));
    expect(report.published).toBeDefined();
  });

  it("compares what the study varies, on the page, on the terminal and as JSON, without a word of the paper", async () => {
    const own = [16, 32].flatMap((width) =>
      syntheticRecords({ tasks: ["ocean_2"], seeds: [0, 1, 2], rounds: [0, 20], settings: { width } }),
    );
    study("varied", { "records.csv": writeCsv(own.map((row) => ({ ...row, title: "Ocean currents" }))) });
    const { stdout } = await run("report", "varied");
    expect(stdout).toContain("Model width: at α = 0.01, the 95 % interval");
    expect(stdout).toContain("Ocean currents, α = 0.01: the excess error is ");
    const page = readFileSync(path("varied/report.html"), "utf8");
    expect(page).toContain("<b>Figure 1. Comparison: model width.</b>");
    expect(page).toContain('id="table-compare-width"');
    const told = JSON.parse((await run("report", "varied", "--json")).stdout);
    expect(Object.keys(told.findings)).toEqual(["coverage", "comparisons", "notes"]);
    expect(JSON.stringify([told.summary, told.findings])).not.toMatch(/paper|RQ[1-4]/i);
    const papers = JSON.parse((await run("report", "parquet", "--json")).stdout);
    expect(papers.findings.answers.map(({ id }: { id: string }) => id)).toEqual(["RQ1", "RQ2", "RQ3", "RQ4"]);
  });

  it.each([
    [
      "a folder without records",
      {},
      /^pde-dirichlet: \S+ has neither records\.parquet nor records\.csv, and no runs: is it/,
    ],
    [
      "a file that is no Parquet",
      { "records.parquet": "nonsense" },
      /^pde-dirichlet: .*is not a Parquet file/,
    ],
    [
      "another table",
      { "records.csv": "a,b\n1,2\n" },
      /^pde-dirichlet: .*is not a table of seed-level records/,
    ],
    ["no runs yet", { "records.csv": writeCsv([]) }, /^pde-dirichlet: no run of bad is finished yet/],
  ])("refuses %s in one line", async (_, files, message) => {
    study("bad", files);
    const { status, stderr } = await run("report", "bad");
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    rmSync(path("bad"), { recursive: true });
  });
});

describe("report of runs of train", () => {
  const train = (alpha: string, ...more: string[]) =>
    run(
      ...["train", "antiderivative", "--train", "200", "--test", "20", "--quiet", "--out", "trained"],
      ...["--alpha", alpha, ...more],
    );
  const report = async () => {
    const { status, stdout, stderr } = await run("report", "trained");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  };

  it("shows a single run, and says what cannot be shown without a reference", async () => {
    expect((await train("0.1", "--rounds", "3")).status).toBe(0);
    expect(await report()).toContain(
      "Antiderivative: no reference run with the same seed and options for α = 0.1 (seed 0), so excess error and D_θ cannot be shown.",
    );
    const [row] = readCsv(readFileSync(path("trained/records.csv"), "utf8"), "csv").slice(-1);
    expect(row).toMatchObject({
      study: "train",
      reference_alpha: NaN,
      excess_error: NaN,
      d_theta: NaN,
      round: 3,
    });
    const errors = readFileSync(path("trained/tables/test-error.csv"), "utf8").split("\n")[1].split(",");
    expect(Number(errors[1])).toBeCloseTo(100 * row.test_error, 10);
    expect(readdirSync(path("trained/tables"))).not.toContain("excess-error.csv");
    const page = readFileSync(path("trained/report.html"), "utf8");
    expect(page).not.toMatch(/NaN/);
    expect(page).toContain('id="figure-test-error"');
  });

  it("draws the training loss and the partition from the run's folder, and does without where that is gone", async () => {
    const figures = () => readdirSync(path("trained/figures")).filter((name) => name.endsWith(".svg"));
    expect(figures()).toEqual(expect.arrayContaining(["partition-antiderivative.svg", "training-loss.svg"]));
    const [id] = readdirSync(path("trained/runs"));
    const { counts } = JSON.parse(readFileSync(path(`trained/runs/${id}/run.json`), "utf8")).partition;
    const drawn = texts(readFileSync(path("trained/figures/partition-antiderivative.svg"), "utf8"));
    for (const count of counts.flat().filter(Boolean)) expect(drawn).toContain(String(count));
    mkdirSync(path("alone"));
    cpSync(path("trained/records.csv"), path("alone/records.csv"));
    const { status, stderr } = await run("report", "alone");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const page = readFileSync(path("alone/report.html"), "utf8");
    expect(page).toContain('id="figure-test-error"');
    expect(page).not.toMatch(/figure-training-loss|figure-partition-antiderivative|training loss/i);
  });

  it("compares runs with the one at alpha 100, and tells rounds apart", async () => {
    await train("100", "--rounds", "3");
    await report();
    const rows = readCsv(readFileSync(path("trained/records.csv"), "utf8"), "csv");
    expect(
      rows.every(
        ({ excess_error, reference_alpha }) => !Number.isNaN(excess_error) && reference_alpha === 100,
      ),
    ).toBe(true);
    const last = rows.filter(({ round }) => round === 3);
    expect(last.find(({ alpha }) => alpha === 100)).toMatchObject({ excess_error: 0, d_theta: 0 });
    expect(last.find(({ alpha }) => alpha === 0.1)!.d_theta).toBeGreaterThan(0);
    expect(existsSync(path("trained/tables/excess-error.csv"))).toBe(true);
    await train("0.1", "--rounds", "2");
    expect(await report()).toContain("Antiderivative, 2 rounds: no reference run");
  });

  it("says which runs diverged", async () => {
    expect((await train("0.1", "--rounds", "3", "--rate", "1000")).status).toBe(1);
    const said = await report();
    expect(said).toMatch(/^1 of 4 runs are left out/m);
    expect(said).toMatch(
      /^Antiderivative, learning rate 1000, 3 rounds, no reference run, α = 0\.1: seed 0 diverged before round 1\.$/m,
    );
  });
});
