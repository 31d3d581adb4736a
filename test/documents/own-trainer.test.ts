import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readExternalFile } from "../../src/records/external/external-run.js";
import {
  checkpointSchema,
  EXTERNAL_SCHEMA,
  FIXED_NAMES,
} from "../../src/records/external/external-schema.js";
import { studyRecords } from "../../src/studies/collect-records.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/own-trainer.md"), "utf8");
const SCRIPT = join(ROOT, "examples/flower/records.py");
const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasNumpy = spawnSync(PYTHON, ["-c", "import numpy"]).status === 0;

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-own-trainer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const named = (title: string) =>
  tableRows(PAGE)
    .filter((row) => title in row)
    .map((row) => row[title].replaceAll("`", ""));

describe("the page on other trainers", () => {
  it("names every field of the first line and of a checkpoint", () => {
    expect(named("Setting").sort()).toEqual([...FIXED_NAMES].sort());
    expect(named("Key").sort()).toEqual(Object.keys(checkpointSchema.shape).sort());
  });

  it("shows lines that can be read", async () => {
    const lines = codeBlocks(PAGE, "json").map((text) => text.trim());
    expect(JSON.parse(lines[0]).schema).toBe(EXTERNAL_SCHEMA);
    mkdirSync(join(folder, "shown"));
    const path = join(folder, "shown/run.jsonl");
    writeFileSync(path, `${lines.join("\n").replace('"partition": "../p.json", ', "")}\n`);
    const { run, problem } = await readExternalFile(path);
    expect([run?.checkpoints.length, problem]).toEqual([1, undefined]);
  });

  it("tells the length of the script truly", () => {
    const lines = readFileSync(SCRIPT, "utf8").split('"""\n').slice(1).join("").split("\n");
    expect(lines.filter((line) => line.trim() !== "" && !line.trim().startsWith('"""')).length).toBeLessThan(
      35,
    );
  });

  it.skipIf(!hasNumpy)("has lines of Python whose runs are paired, with D_theta and H_g", async () => {
    const [snippet] = codeBlocks(PAGE, "python");
    const { status, stderr } = spawnSync(PYTHON, ["-c", snippet], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, PYTHONPATH: join(ROOT, "examples/flower") },
    });
    expect([status, stderr]).toEqual([0, ""]);
    const notices: string[] = [];
    const records = await studyRecords(join(folder, "out/mine"), (notice) => void notices.push(notice));
    expect(notices).toEqual([]);
    const last = records.filter(({ round }) => round === 10);
    expect(last.map(({ alpha, reference_alpha }) => [alpha, reference_alpha])).toEqual([
      [0.1, 100],
      [100, 100],
    ]);
    expect(last[0].d_theta).toBeGreaterThan(0.5);
    expect(last[0].excess_error).toBe(0);
    expect(last[0].settings).toEqual({ optimizer: "adam", rate: 0.001 });
    for (const { h_g_norm } of records) expect(h_g_norm).toBeGreaterThan(0);
  });
});
