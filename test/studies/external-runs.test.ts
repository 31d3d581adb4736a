import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { partitionJson } from "../../src/exchange/partition-file.js";
import { writeNpz } from "../../src/files/npz.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { EXTERNAL_SCHEMA } from "../../src/records/external/external-schema.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { writeReport } from "../../src/report/write-report.js";
import { studyRecords, writeRecords } from "../../src/studies/collect-records.js";
import { inlineRunner } from "../../src/studies/execution/runner.js";
import { externalRuns } from "../../src/studies/external-runs.js";
import { runTraces } from "../../src/studies/run-traces.js";
import { runStudy } from "../../src/studies/study.js";
import { studyFacts } from "../../src/studies/study-facts.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const studies = studyFolders();
const root = mkdtempSync(join(tmpdir(), "pde-dirichlet-elsewhere-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A folder for runs of another program. */
function fresh(): string {
  const folder = mkdtempSync(join(root, "out-"));
  mkdirSync(join(folder, "elsewhere"));
  return folder;
}

const json = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Writes a run: its settings, and a line per checkpoint; text is written as it is. */
function write(folder: string, name: string, run: object, lines: readonly (object | string)[]): string {
  const path = join(folder, "elsewhere", `${name}.jsonl`);
  const text = lines.map((line) => (typeof line === "string" ? line : json(line))).join("");
  writeFileSync(path, json({ schema: EXTERNAL_SCHEMA, run }) + text);
  return path;
}

const arrays = (folder: string, name: string, entries: Parameters<typeof writeNpz>[0]) =>
  writeFileSync(join(folder, "elsewhere", name), writeNpz(entries, { compress: false }));

/** Records by name of the run and round; what cannot be used is noted. */
async function read(folder: string): Promise<{ rows: Map<string, SeedRecord>; notices: string[] }> {
  const notices: string[] = [];
  const records = await studyRecords(folder, (message) => void notices.push(message));
  return { rows: new Map(records.map((row) => [`${row.run_id} ${row.round}`, row])), notices };
}

const near = { task: "burgers", alpha: 100, seed: 0, rate: 0.001 };
const far = { ...near, alpha: 0.1 };
const LINES = [
  { round: 0, test_error: 1 },
  { round: 5, test_error: 0.5, train_loss: 0.25, d_loc: 0.125 },
];

describe("runs that another program trained", () => {
  it("are paired with the near-IID run of their seed and settings", async () => {
    const folder = fresh();
    write(folder, "near", near, LINES);
    write(folder, "far", far, [LINES[0], { round: 5, test_error: 0.6 }]);
    write(folder, "other-seed", { ...far, seed: 1 }, LINES);
    write(folder, "other-rate", { ...far, rate: 0.01 }, LINES);
    const { rows, notices } = await read(folder);
    expect(notices).toEqual([]);
    expect(rows.get("far 5")).toMatchObject({
      study: "elsewhere",
      task: "burgers",
      settings: { rate: 0.001 },
      alpha: 0.1,
      split: "alpha 0.1",
      reference_alpha: 100,
      reference_error: 0.5,
      excess_error: 100 * (0.6 - 0.5),
      d_loc: Number.NaN,
      d_sol: Number.NaN,
    });
    expect(rows.get("near 5")).toMatchObject({ excess_error: 0, d_loc: 0.125 });
    expect(rows.get("far 0")).toMatchObject({ d_loc: 0 });
    expect(rows.get("other-seed 5")).toMatchObject({ reference_alpha: 100, excess_error: Number.NaN });
    expect(rows.get("other-rate 5")).toMatchObject({ reference_alpha: Number.NaN, excess_error: Number.NaN });
  });

  it("are compared with the largest concentration that is near-IID, if none is 100", async () => {
    const folder = fresh();
    for (const alpha of [50, 10, 1]) write(folder, `alpha-${alpha}`, { ...near, alpha }, LINES);
    const references = (await externalRuns(folder)).map(({ reference, referenceAlpha }) => [
      reference?.id,
      referenceAlpha,
    ]);
    expect(references).toEqual(new Array(3).fill(["alpha-50", 50]));
    const small = fresh();
    for (const alpha of [1, 0.1]) write(small, `alpha-${alpha}`, { ...near, alpha }, LINES);
    expect((await externalRuns(small)).map(({ referenceAlpha }) => referenceAlpha)).toEqual([NaN, NaN]);
  });

  it("have D_theta of their parameters, whatever the order of the arrays", async () => {
    const folder = fresh();
    const [weights, bias] = [Float32Array.of(3, 0, 0, 0), Float64Array.of(4)];
    const shaped = (values: Float32Array) => ({ values, shape: [2, 2] });
    arrays(folder, "near.npz", { "b.weight": shaped(weights), "a.bias": bias, counter: Int32Array.of(1) });
    arrays(folder, "far.npz", {
      "a.bias": bias,
      "b.weight": shaped(Float32Array.of(3, 0, 0, 2)),
      counter: Int32Array.of(9),
    });
    write(folder, "near", near, [{ round: 0, test_error: 1, parameters: "near.npz" }]);
    write(folder, "far", far, [{ round: 0, test_error: 1, parameters: "far.npz" }]);
    const { rows, notices } = await read(folder);
    expect(notices).toEqual([]);
    expect(rows.get("far 0")!.d_theta).toBeCloseTo(2 / 5, 7);
    expect(rows.get("near 0")!.d_theta).toBe(0);
  });

  it("have H_g of the gradients of clients, weighted by their samples", async () => {
    const folder = fresh();
    arrays(folder, "g.npz", { gradients: { values: Float64Array.of(1, 0, -1, 0), shape: [2, 2] } });
    write(folder, "near", { ...near, sizes: [30, 10] }, [{ round: 0, test_error: 1, gradients: "g.npz" }]);
    const { rows } = await read(folder);
    // Mean 3/4 - 1/4 = 1/2, spread 3/4 (1/2)^2 + 1/4 (3/2)^2 = 3/4, mean square 1.
    expect(rows.get("near 0")).toMatchObject({
      h_g_norm: expect.closeTo(0.75, 10),
      n_min: 10,
      n_max: 30,
      cv_n: 0.5,
    });
  });

  it("take errors of clients, and NaN as Python writes it", async () => {
    const folder = fresh();
    write(folder, "near", near, [
      '{"round": 0, "test_error": 1.0, "train_loss": NaN, "clients": {"test_error": [0.25, NaN, 0.75]}}\n',
    ]);
    const { rows, notices } = await read(folder);
    expect(notices).toEqual([]);
    expect(rows.get("near 0")).toMatchObject({ client_error_mean: 0.5, client_error_worst: 0.75 });
  });

  it("are FedAvg unless they say otherwise, as ours are", async () => {
    const folder = fresh();
    write(folder, "a", { ...near, strategy: "FedAvg" }, LINES);
    write(folder, "b", { ...near, strategy: "FedProx", mu: 0.1 }, LINES);
    const { rows } = await read(folder);
    expect(rows.get("a 0")!.settings).toEqual({ rate: 0.001 });
    expect(rows.get("b 0")!.settings).toEqual({ rate: 0.001, strategy: "fedprox", mu: 0.1 });
  });

  it("have a report without what they do not say", async () => {
    const folder = fresh();
    write(folder, "near", near, LINES);
    write(folder, "far", far, [LINES[0], { round: 5, test_error: 0.6, train_loss: 0.5 }]);
    await writeRecords(folder);
    const { report, files } = await writeReport(folder, { ...(await studyFacts(folder)) });
    expect(report.summary[0]).toBe(
      "2 runs trained burgers by FedAvg for 5 rounds, at α = 100 and 0.1 with seed 0.",
    );
    expect(report.facts).toContainEqual(["Trained by other programs", "2 runs"]);
    const names = files.filter((file) => file.endsWith(".svg")).map((file) => file.split("/").at(-1));
    expect(names.sort()).toEqual(["excess-error.svg", "test-error.svg", "training-loss.svg"]);
    expect(readFileSync(join(folder, "report.md"), "utf8")).not.toMatch(/NaN|undefined/);
    expect(await runTraces(folder, ["far"])).toEqual([
      { run_id: "far", losses: [{ round: 5, train_loss: 0.5 }], counts: [] },
    ]);
  });
});

describe("a folder of a study", () => {
  it("may hold such runs too, in one table that is verified and reported", async () => {
    const folder = studies();
    await runStudy(folder, await tinyPlan("seeds=[0]"), inlineRunner);
    const own = await studyRecords(folder);
    mkdirSync(join(folder, "elsewhere"));
    write(folder, "near", near, LINES);
    write(folder, "far", far, LINES);
    const all = await writeRecords(folder);
    expect(all.slice(0, own.length)).toEqual(own);
    expect(all.slice(own.length).map(({ run_id }) => run_id)).toEqual(["far", "far", "near", "near"]);
    expect((await verifyStudy(folder)).problems).toEqual([]);
    const { report } = await writeReport(folder, { ...(await studyFacts(folder)) });
    expect(report.summary[0]).toContain(
      "4 runs trained Antiderivative and burgers by FedAvg for 5 or 12 rounds with K = 3 clients and Adam, at",
    );
  }, 60_000);
});

describe("a partition file", () => {
  let text: string;
  beforeAll(async () => {
    const values = Float64Array.from({ length: 240 }, (_, i) => Math.sin(i) + (i % 12));
    const measured = await partitionDataset(
      { responses: fieldsInMemory(values, 120, [2]) },
      { clients: 3, bins: 4, alpha: 0.1, seed: 7, minSize: 4 },
    );
    text = partitionJson(measured, {
      version: "0.1.0",
      data: "u.npy",
      dataSha256: "00",
      binsSha256: "11",
      arrays: "p.npz",
    });
  });

  it("gives the run its split, its metrics, its sizes and its heat map", async () => {
    const folder = fresh();
    writeFileSync(join(folder, "p.json"), text);
    const { alpha: _, ...run } = near;
    write(folder, "a", { ...run, partition: "../p.json" }, LINES);
    const { rows } = await read(folder);
    const { metrics, counts, sizes } = JSON.parse(text);
    expect(rows.get("a 5")).toMatchObject({
      alpha: 0.1,
      split: "alpha 0.1",
      settings: { clients: 3, bins: 4, rate: 0.001 },
      d_sol: metrics.d_sol,
      cv_n: metrics.cv_n,
      eps_part: metrics.eps_part,
      n_min: Math.min(...sizes),
    });
    expect((await runTraces(folder, ["a"]))[0].counts).toEqual(counts);
  });

  it("of other data than the reference's is not compared with it", async () => {
    const folder = fresh();
    writeFileSync(join(folder, "p.json"), text);
    writeFileSync(
      join(folder, "q.json"),
      text.replace('"sha256":"00"', '"sha256":"ff"').replace('"alpha":0.1', '"alpha":100'),
    );
    const { alpha: _, ...run } = near;
    write(folder, "far", { ...run, partition: "../p.json" }, LINES);
    write(folder, "near", { ...run, partition: "../q.json" }, LINES);
    const { rows, notices } = await read(folder);
    expect(rows.get("far 5")).toMatchObject({ reference_alpha: 100, excess_error: Number.NaN });
    expect(notices).toEqual([
      expect.stringContaining(
        "far.jsonl: its partition is of other data than that of its reference near: not compared",
      ),
    ]);
  });

  it.each([
    [
      { partition: "../nowhere.json" },
      /a\.jsonl:1: partition: cannot read .*nowhere\.json: no such file or folder/,
    ],
    [{ partition: "a.jsonl" }, /a\.jsonl:1: partition: a\.jsonl is not a file of `pde-dirichlet partition`/],
    [{ partition: "../p.json", alpha: 1 }, /a\.jsonl:1: alpha is 1, but \.\.\/p\.json has 0\.1/],
    [{ partition: "../p.json", clients: 5 }, /a\.jsonl:1: clients is 5, but \.\.\/p\.json has 3/],
    [
      { partition: "../p.json", sizes: [1, 2, 3] },
      /a\.jsonl:1: sizes are not those of \.\.\/p\.json: leave them out/,
    ],
  ])("that cannot be used is named with its line: %j", async (change, words) => {
    const folder = fresh();
    writeFileSync(join(folder, "p.json"), text);
    const { alpha: _, ...run } = near;
    write(folder, "a", { ...run, ...change }, LINES);
    const { rows, notices } = await read(folder);
    expect(rows.size).toBe(0);
    expect(notices).toEqual([expect.stringMatching(words)]);
  });
});

describe("records with gaps", () => {
  it.each([
    ["an empty file", "", /a\.jsonl is empty: its first line names the run's settings/],
    ["no settings", json({ round: 0, test_error: 1 }), /a\.jsonl:1: run: /],
    [
      "another schema",
      json({ schema: "pde-dirichlet/external-run/9", run: near }),
      /a\.jsonl:1: schema is "pde-dirichlet\/external-run\/9"/,
    ],
    ["no task", json({ run: { seed: 0 } }), /a\.jsonl:1: run\.task: /],
    ["a seed that is no whole number", json({ run: { ...near, seed: 0.5 } }), /a\.jsonl:1: run\.seed: /],
    [
      "a setting of a wrong type",
      json({ run: { ...near, rate: [1] } }),
      /a\.jsonl:1: run\.rate: a setting is a string, a number or true or false/,
    ],
    ["a concentration of 0", json({ run: { ...near, alpha: 0 } }), /a\.jsonl:1: run\.alpha: /],
  ])("%s leave the run out, with a line that names file and line", async (_, text, words) => {
    const folder = fresh();
    writeFileSync(join(folder, "elsewhere/a.jsonl"), text);
    write(folder, "near", near, LINES);
    const { rows, notices } = await read(folder);
    expect([...rows.keys()]).toEqual(["near 0", "near 5"]);
    expect(notices).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    ["a line without a round", json({ test_error: 1 }), /far\.jsonl:2: round: /],
    ["a line without an error", json({ round: 0 }), /far\.jsonl:2: test_error is missing: it is a fraction/],
    ["a line that is no JSON", "{round: 0}\n", /far\.jsonl:2 is not JSON/],
    [
      "a round that stands twice",
      json(LINES[0]) + json(LINES[0]),
      /far\.jsonl:3: round 0 stands twice \(line 2\): rounds ascend/,
    ],
    [
      "rounds that descend",
      json(LINES[1]) + json(LINES[0]),
      /far\.jsonl:3: round 0 follows round 5 \(line 2\): rounds ascend/,
    ],
    [
      "lists of different lengths",
      json({ round: 0, test_error: 1, clients: { test_error: [1, 2], update: [1] } }),
      /far\.jsonl:2: clients\.update has 1 entries, not 2/,
    ],
    ["an error that is text", json({ round: 0, test_error: "0.1" }), /far\.jsonl:2: test_error: /],
  ])("%s leave the run out of the table, and the report says why", async (_, text, words) => {
    const folder = fresh();
    write(folder, "far", far, [text]);
    write(folder, "near", near, LINES);
    const { rows, notices } = await read(folder);
    expect([...rows.keys()]).toEqual(["near 0", "near 5"]);
    expect(notices).toEqual([expect.stringMatching(words)]);
    const { missing } = await studyFacts(folder);
    expect(missing).toMatchObject([
      { run_id: "far", alpha: 0.1, reference_alpha: 100, why: expect.stringMatching(words) },
    ]);
  });

  it("name the array that cannot be used, and keep the errors of the run", async () => {
    const folder = fresh();
    arrays(folder, "small.npz", { w: Float32Array.of(1) });
    arrays(folder, "large.npz", { w: Float32Array.of(1, 2) });
    arrays(folder, "whole.npz", { w: Int32Array.of(1, 2) });
    arrays(folder, "flat.npz", { gradients: Float32Array.of(1, 2) });
    arrays(folder, "rows.npz", { gradients: { values: Float32Array.of(1, 2, 3), shape: [3, 1] } });
    const at = (round: number, more: object) => ({ round, test_error: 1, ...more });
    write(folder, "near", near, [at(0, { parameters: "small.npz" })]);
    write(folder, "far", far, [at(0, { parameters: "large.npz" })]);
    write(folder, "mixed", { ...near, rate: 1 }, [
      at(0, { parameters: "small.npz", gradients: "rows.npz" }),
      at(1, { parameters: "large.npz" }),
      at(2, { parameters: "whole.npz" }),
      at(3, { parameters: "nowhere.npz" }),
    ]);
    write(folder, "sized", { ...near, rate: 2, sizes: [1, 1] }, [at(0, { gradients: "rows.npz" })]);
    write(folder, "shaped", { ...near, rate: 3, sizes: [1, 1] }, [at(0, { gradients: "flat.npz" })]);
    const { rows, notices } = await read(folder);
    expect(rows.size).toBe(8);
    for (const { d_theta, h_g_norm, run_id } of rows.values())
      if (run_id !== "near") expect([h_g_norm, run_id === "mixed" ? NaN : d_theta]).toEqual([NaN, NaN]);
    const expected = [
      /far\.jsonl: its parameters are w 2, those of its reference near w 1: D_theta is unknown/,
      /mixed\.jsonl:2: gradients: the first line must name the partition, or the sizes of the clients/,
      /mixed\.jsonl:3: parameters: large\.npz has other arrays than the checkpoints before: w 2, not w 1/,
      /mixed\.jsonl:4: parameters: whole\.npz holds no floating-point array/,
      /mixed\.jsonl:5: parameters: cannot read nowhere\.npz: no such file or folder/,
      /shaped\.jsonl:2: gradients: .*shape 2, not clients x parameters/,
      /sized\.jsonl:2: gradients: rows\.npz has 3 rows, but there are 2 clients/,
    ];
    expect(notices).toEqual(expected.map((words) => expect.stringMatching(words)));
  });

  it("of two runs that the table could not tell apart are refused with both names", async () => {
    const folder = fresh();
    write(folder, "a", near, LINES);
    write(folder, "b", near, LINES);
    await expect(read(folder)).rejects.toThrow(
      /a\.jsonl and .*b\.jsonl have the same task, settings, split and seed: name in the first line what differs/,
    );
  });

  it("at a round that the reference lacks are left out, and that is said", async () => {
    const folder = fresh();
    write(folder, "near", near, LINES);
    write(folder, "far", far, [LINES[0], { round: 3, test_error: 1 }, LINES[1]]);
    const { rows, notices } = await read(folder);
    expect([...rows.keys()]).toEqual(["far 0", "far 5", "near 0", "near 5"]);
    expect(notices).toEqual([
      expect.stringMatching(/far\.jsonl:3: near, its reference, has no checkpoint at round 3: left out/),
    ]);
  });
});

describe("a run that has not ended", () => {
  it("has no record before it reaches the rounds that it states", async () => {
    const folder = fresh();
    const path = write(folder, "near", { ...near, rounds: 10 }, LINES);
    expect((await read(folder)).rows.size).toBe(0);
    expect((await studyFacts(folder)).missing).toMatchObject([{ why: "not finished, at round 5 of 10" }]);
    appendFileSync(path, json({ round: 10, test_error: 0.25 }));
    expect((await read(folder)).rows.size).toBe(3);
  });

  it("is read up to its half-written last line", async () => {
    const folder = fresh();
    const path = write(folder, "near", near, LINES);
    const whole = json({ round: 10, test_error: 0.25 }).trimEnd();
    for (let length = 1; length < whole.length; length++) {
      write(folder, "near", near, [...LINES, whole.slice(0, length)]);
      const { rows, notices } = await read(folder);
      expect([rows.size, notices], whole.slice(0, length)).toEqual([2, []]);
    }
    appendFileSync(path, whole.slice(-1)); // the last line is whole, but for its end
    expect((await read(folder)).rows.size).toBe(3);
  });

  it.each([
    ['{"round": 10, "test_error": NaN}\n', "diverged before round 10"],
    ['{"round": 10, "test_error": null}\n', "diverged before round 10"],
    ['{"failed": "out of memory"}\n', "failed: out of memory"],
  ])("is a missing run if it ends in %s", async (line, why) => {
    const folder = fresh();
    write(folder, "near", near, LINES);
    write(folder, "far", far, [...LINES, line]);
    const { rows, notices } = await read(folder);
    expect([[...rows.keys()], notices]).toEqual([["near 0", "near 5"], []]);
    expect((await studyFacts(folder)).missing).toMatchObject([{ run_id: "far", why }]);
  });
});
