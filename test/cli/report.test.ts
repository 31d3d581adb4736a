import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writeReport } from "../../src/cli/write-report.js";
import { writeCsv, writeParquet } from "../../src/records/seed-table.js";
import { syntheticRecords } from "../records/synthetic-records.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const records = syntheticRecords({ tasks: ["antiderivative"], seeds: [0, 1], alphas: [100, 1, 0.01] });

function study(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  mkdirSync(path(name), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(path(`${name}/${file}`), content);
  return path(name);
}

describe("report", () => {
  it("writes a page, tables and figures from Parquet, and says what it found", async () => {
    study("parquet", { "records.parquet": writeParquet(records) });
    const { status, stdout, stderr } = await run("report", "parquet");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("RQ1  Mean D_sol");
    expect(stdout).toContain("Written: parquet/report.html");
    const page = readFileSync(path("parquet/report.html"), "utf8");
    expect(page).toContain("<h1>Results of synthetic</h1>");
    expect(readFileSync(path("parquet/figures/mechanisms.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
    expect(readFileSync(path("parquet/figures/mechanisms.png")).subarray(1, 4).toString()).toBe("PNG");
    expect(readFileSync(path("parquet/tables/spearman.tex"), "utf8")).toContain("\\toprule");
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

  it.each([
    ["a folder without records", {}, /^pde-dirichlet: \S+ has neither records\.parquet nor records\.csv/],
    [
      "a file that is no Parquet",
      { "records.parquet": "nonsense" },
      /^pde-dirichlet: .*is not a Parquet file/,
    ],
    ["another table", { "records.csv": "a,b\n1,2\n" }, /^pde-dirichlet: .*is no table of seed-level records/],
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
