import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runFolder } from "../../src/records/run-folder.js";
import { writeCsv } from "../../src/records/seed-table.js";
import { collectRecords, refreshRecords, studyRecords } from "../../src/studies/collect-records.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { readStudies } from "../../src/studies/read-studies.js";
import { inlineRunner, type Runner } from "../../src/studies/runner.js";
import { studyStatus } from "../../src/studies/status.js";
import { runStudy } from "../../src/studies/study.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
let plan: StudyPlan;
let folder: string;
let table: string;
beforeAll(async () => {
  plan = await tinyPlan("seeds=[0]");
  folder = fresh();
  await runStudy(folder, plan, inlineRunner);
  table = writeCsv(await collectRecords(folder));
});

/** A copy of the study in which the text or the bytes of a file were changed. */
function changed(file: string, change: (text: string) => string): string {
  const own = fresh();
  cpSync(folder, own, { recursive: true });
  const path = join(own, file);
  const before = readFileSync(path, "latin1");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after, "latin1");
  return own;
}

const inRun = (file: string) => join("runs", plan.runs[1].id, file);
const flipped = (text: string) => {
  const at = Math.floor(0.6 * text.length);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
};
const never = (): Runner => ({
  jobs: 1,
  run: () => Promise.reject(new Error("a run was made")),
  stop: () => {},
  close: async () => {},
});
/** A record as it was written before records had a digest of their own. */
const earlier = (text: string) => {
  const { sha256: _, ...rest } = JSON.parse(text);
  return JSON.stringify({ ...rest, schema: rest.schema.replace(/[34]$/, "2") });
};

describe("a file of a finished run that was changed", () => {
  it.each([
    ["a metric of run.json", "run.json", (text: string) => text.replace('"d_sol":', '"d_sol":7')],
    ["a name in run.json", "run.json", (text: string) => text.replace('"input_w1"', '"input_w3"')],
    ["the name of a task", "run.json", (text: string) => text.replaceAll("antiderivative", "burgers")],
    ["a digit of the journal", "journal.jsonl", (text: string) => text.replace(/"d_loc":0\.0*\d/, "$&9")],
    ["a bit of arrays.npz", "arrays.npz", flipped],
  ])("is refused by report, verify and a repeated study: %s", async (_, file, change) => {
    const own = changed(inRun(file), change);
    const before = readFileSync(join(own, "records.csv"), "utf8");
    expect((await verifyStudy(own)).problems.join()).toContain(file);
    for (const use of [collectRecords, studyRecords, refreshRecords])
      await expect(use(own)).rejects.toThrow(
        new RegExp(`${file} .*(wrong|is damaged).*: restore a copy, or delete the run's folder`),
      );
    await expect(runStudy(own, plan, never)).rejects.toThrow(file);
    expect(readFileSync(join(own, "records.csv"), "utf8")).toBe(before);
    expect((await verifyStudy(own)).problems.join()).toContain(file);
  });

  it("is named by status, which counts the run as not finished", async () => {
    const own = changed(inRun("run.json"), flipped);
    const { problems, runs } = await studyStatus(own);
    expect(problems).toEqual([expect.stringContaining("run.json")]);
    expect(runs.map(({ state }) => state)).toEqual(["finished", "waiting"]);
    expect((await studyStatus(folder)).problems).toEqual([]);
  });

  it("is made again when the run's folder is deleted, to the same table", async () => {
    const own = changed(inRun("arrays.npz"), flipped);
    rmSync(runFolder(own, plan.runs[1].id), { recursive: true });
    expect(await runStudy(own, plan, inlineRunner)).toMatchObject({ finished: 2, failed: [] });
    expect(readFileSync(join(own, "records.csv"), "utf8")).toBe(table);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });
});

describe("a run of the earlier layout, whose record has no digest", () => {
  it("is read as before", async () => {
    const own = changed(inRun("run.json"), earlier);
    expect(writeCsv(await collectRecords(own))).toBe(table);
    expect((await verifyStudy(own)).problems).toEqual([]);
    expect(await runStudy(own, plan, never)).toMatchObject({ finished: 2 });
  });

  it.each(["d_sol", "input_w1", "cv_n", "eps_part", "n_min", "n_max", "h_q", "h_w"])(
    "has its %s computed again from its arrays",
    async (name) => {
      const own = changed(inRun("run.json"), (text) => earlier(text).replace(`"${name}":`, `"${name}":7`));
      await expect(refreshRecords(own)).rejects.toThrow(
        new RegExp(`run\\.json: its ${name} is 7[\\d.]+, but its arrays give [\\d.]+: restore a copy`),
      );
      expect((await verifyStudy(own)).problems.join("\n")).toContain(`its ${name} is 7`);
    },
  );

  it("must have every metric under its name, and its own options", async () => {
    const renamed = changed(inRun("run.json"), (text) => earlier(text).replace('"eps_quant"', '"eps_quart"'));
    await expect(collectRecords(renamed)).rejects.toThrow("its metrics lack eps_quant");
    const other = changed(inRun("run.json"), (text) => earlier(text).replace('"rate":0.001', '"rate":0.002'));
    await expect(collectRecords(other)).rejects.toThrow("its id does not match its options or its folder");
  });
});

describe("the file of a study", () => {
  const file = "studies/tiny.json";

  it.each([
    ["the rate", (text: string) => text.replace('"rate": 0.001', '"rate": 0.002')],
    ["the bins", (text: string) => text.replace('"bins": 4', '"bins": 5')],
    ["its name", (text: string) => text.replace('"name": "tiny"', '"name": "tidy"')],
  ])("is refused by all that read it when %s was changed, and says the way out", async (_, change) => {
    const own = changed(file, change);
    const message = /tiny\.json is damaged or was edited.*delete it and run the same study again/;
    for (const use of [verifyStudy, refreshRecords, readStudies])
      await expect(use(own)).rejects.toThrow(message);
    rmSync(join(own, file));
    expect(await runStudy(own, plan, never)).toMatchObject({ finished: 2 });
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("is read in the earlier layout, and its options are compared with the names of its runs", async () => {
    const own = changed(file, earlier);
    expect((await verifyStudy(own)).problems).toEqual([]);
    const other = changed(file, (text) => earlier(text).replaceAll('"rate":0.001', '"rate":0.002'));
    expect((await verifyStudy(other)).problems.join()).toMatch(
      /its name is not the hash of its options in studies\/\*\.json/,
    );
  });
});

describe("a damaged table", () => {
  const shuffled = (text: string) => `${text.slice(0, 300)}${"\x15".repeat(200)}${text.slice(500)}`;

  it("is made again from the runs, which is said, and reported in one line by verify", async () => {
    const own = changed("records.parquet", shuffled);
    expect((await verifyStudy(own)).problems).toEqual([
      expect.stringMatching(/^\S+records\.parquet is a damaged Parquet file: .*$/),
    ]);
    const said: string[] = [];
    expect(writeCsv(await refreshRecords(own, (message) => said.push(message)))).toBe(table);
    expect(said).toEqual([
      expect.stringMatching(
        /records\.parquet is a damaged Parquet file: .*: rebuilding the table from the runs$/,
      ),
    ]);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("without runs is taken from the other file, which is said, or refused in one line", async () => {
    const own = changed("records.parquet", shuffled);
    for (const below of ["runs", "studies"]) rmSync(join(own, below), { recursive: true });
    const said: string[] = [];
    expect(writeCsv(await studyRecords(own, (message) => said.push(message)))).toBe(table);
    expect(said).toEqual([expect.stringMatching(/: reading records\.csv instead$/)]);
    rmSync(join(own, "records.csv"));
    await expect(studyRecords(own)).rejects.toThrow(/^\S+records\.parquet is a damaged Parquet file: .*$/);
  });
});
