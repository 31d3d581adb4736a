import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetMetadata, parquetSchema } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openNpz } from "../../src/files/npz.js";
import { RUN_FILES, readRunRecord, runFolder } from "../../src/records/run-folder.js";
import { RUN_SCHEMA, runSchema } from "../../src/records/run-record.js";
import { settingsOf } from "../../src/records/settings.js";
import { readRecords } from "../../src/report/write-report.js";
import { inlineRunner } from "../../src/studies/execution/runner.js";
import { runStudy } from "../../src/studies/study.js";
import { studyFolders, tinyPlan } from "../studies/tiny-study.js";
import { codeBlocks, tableRows } from "./markdown.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/records.md"), "utf8");
const folder = studyFolders()();

/** The names in a column of the page's tables, without their quotes. */
const named = (title: string) =>
  tableRows(PAGE)
    .filter((row) => title in row)
    .flatMap((row) => row[title].split(", ").map((name) => name.slice(1, -1)));

/** The paragraph of the page below a title, as rows of its table. */
const below = (title: string) => tableRows(PAGE.split(`### ${title}\n`)[1].split("\n#")[0]);

let run: string;
beforeAll(async () => {
  const plan = await tinyPlan("seeds=[0]");
  await runStudy(folder, plan, (study) => inlineRunner(study, { device: "cpu" }));
  run = runFolder(folder, plan.runs[1].id);
});

const text = (name: string) => readFileSync(join(run, name), "utf8");

describe("the page on records", () => {
  it("has a line for every column of the table, with its type", () => {
    const bytes = readFileSync(join(folder, "records.parquet"));
    const { children } = parquetSchema(parquetMetadata(new Uint8Array(bytes).buffer));
    const types = { BYTE_ARRAY: "string", DOUBLE: "double", INT32: "int32", INT64: "int64" };
    const columns = tableRows(PAGE).filter((row) => "Column" in row);
    const fixed = children.slice(0, columns.length);
    expect(columns.map(({ Column, Type }) => [Column.slice(1, -1), Type])).toEqual(
      fixed.map(({ element }) => [element.name, types[element.type as keyof typeof types]]),
    );
    for (const { Definition } of columns) expect(Definition).not.toBe("");
    const header = readFileSync(join(folder, "records.csv"), "utf8").split("\n")[0].split(",");
    expect(header.slice(0, columns.length)).toEqual(named("Column"));
  });

  it("says what follows these columns: one for every setting of the run", async () => {
    const { settings } = settingsOf((await readRunRecord(run))!);
    const header = readFileSync(join(folder, "records.csv"), "utf8").split("\n")[0].split(",");
    expect(header.slice(named("Column").length)).toEqual(Object.keys(settings));
    const told = PAGE.slice(PAGE.indexOf("every setting has a column"), PAGE.indexOf("In pandas"));
    for (const name of ["clients", "optimizer", "bins", "model", "width", "viscosity"]) {
      expect(told).toContain(`\`${name}\``);
      if (name !== "viscosity") expect(settings).toHaveProperty(name);
    }
  });

  it("says in which units errors are", async () => {
    const units = new Map(tableRows(PAGE).map(({ Column, Unit }) => [Column, Unit]));
    expect(units.get("`test_error`")).toBe("fraction");
    expect(units.get("`excess_error`")).toBe("percentage points");
    for (const { test_error, reference_error, excess_error } of await readRecords(folder))
      expect(excess_error).toBe(100 * (test_error - reference_error));
  });

  it("names every file of a run's folder", () => {
    expect(named("File").sort()).toEqual(Object.values(RUN_FILES).sort());
    const files = readdirSync(run).sort();
    expect(files).toEqual(
      named("File")
        .filter((name) => name !== "state.npz" && name !== "failure.json")
        .sort(),
    );
  });

  it("names every field of run.json, every key of the journal and every array", async () => {
    expect(named("Field")).toEqual(Object.keys(runSchema.shape));
    const fields = Object.keys(JSON.parse(text("run.json")));
    expect(named("Field")).toEqual(expect.arrayContaining(fields));
    const optional = ["settings", "overrides"];
    expect([...fields, ...optional]).toEqual(expect.arrayContaining(named("Field")));
    expect(below("run.json")[0]["What it holds"]).toBe(`\`${RUN_SCHEMA}\``);
    expect(Object.keys(JSON.parse(text("journal.jsonl").split("\n")[0]))).toEqual(named("Key"));
    const arrays = await openNpz(bytesInMemory(new Uint8Array(readFileSync(join(run, "arrays.npz")))));
    expect([...arrays.names].sort()).toEqual(named("Array").sort());
  });

  const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
  for (const snippet of codeBlocks(PAGE, "python")) {
    const imports = snippet.match(/^(import|from) .*$/gm)!;
    const isThere = spawnSync(PYTHON, ["-c", imports.join("\n")]).status === 0;
    it.skipIf(!isThere)(`has lines of Python that run: ${imports.at(-1)}`, () => {
      const here = snippet
        .replaceAll("out/quickstart", folder)
        .replace("round = 1000", "round = 12")
        .replace("alpha-0.01-seed-42", "alpha-0.1-seed-0");
      const { status, stderr, stdout } = spawnSync(PYTHON, ["-c", here], { encoding: "utf8" });
      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(stdout).not.toBe("");
    });
  }
});
