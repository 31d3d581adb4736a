import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DataError, FileError } from "../../src/errors.js";
import { readSafetensors, writeSafetensors } from "../../src/files/safetensors.js";
import { readFailure } from "../../src/records/run-failure.js";
import { runFolder, withFile } from "../../src/records/run-folder.js";
import { readCsv, readParquet, writeParquet } from "../../src/records/seed-table.js";
import {
  collectRecords,
  refreshRecords,
  studyRecords,
  writeRecords,
} from "../../src/studies/collect-records.js";
import { inlineRunner, type Runner } from "../../src/studies/execution/runner.js";
import { Stopped } from "../../src/studies/execution/stopped.js";
import { missingRuns } from "../../src/studies/missing-runs.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { readStudies } from "../../src/studies/read-studies.js";
import { writeTable } from "../../src/studies/record-files.js";
import { studyStatus } from "../../src/studies/status.js";
import { runStudy } from "../../src/studies/study.js";
import { studyFacts } from "../../src/studies/study-facts.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { runHashes } from "./run-hashes.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
let plan: StudyPlan;
let folder: string;
beforeAll(async () => {
  plan = await tinyPlan();
  folder = fresh();
  await runStudy(folder, plan, inlineRunner);
});

const never = (): Runner => ({
  jobs: 1,
  run: () => Promise.reject(new Error("a run was made")),
  stop: () => {},
  close: async () => {},
});

describe("a finished study", () => {
  it("has a table of seed-level records, the same in Parquet and CSV", async () => {
    const records = await withFile(join(folder, "records.parquet"), readParquet);
    expect(readCsv(readFileSync(join(folder, "records.csv"), "utf8"), "records.csv")).toEqual(records);
    expect(records.length).toBe(4 * 5);
    for (const row of records) {
      expect(row.study).toBe("tiny");
      if (row.round === 0 || row.alpha === 100) expect(row).toMatchObject({ d_theta: 0, excess_error: 0 });
      else expect(row.d_theta).toBeGreaterThan(0);
      expect(row.h_g_norm).toBeGreaterThan(0);
    }
  });

  it("has all but D_theta where the arrays of its runs were left behind", async () => {
    const brought = fresh();
    const isBrought = (path: string) => !/(arrays\.npz|records\.(parquet|csv))$/.test(path);
    cpSync(folder, brought, { recursive: true, filter: isBrought });
    const [whole, left] = await Promise.all([folder, brought].map((one) => collectRecords(one)));
    expect(left.every(({ d_theta }) => Number.isNaN(d_theta))).toBe(true);
    expect(left).toEqual(whole.map((row) => ({ ...row, d_theta: NaN })));
    await writeRecords(brought);
    expect(await withFile(join(brought, "records.parquet"), readParquet)).toEqual(left);
    expect(readCsv(readFileSync(join(brought, "records.csv"), "utf8"), "records.csv")).toEqual(left);
  });

  it("keeps the D_theta of its table when that is written again without arrays", async () => {
    const brought = fresh();
    cpSync(folder, brought, { recursive: true, filter: (path) => !path.endsWith("arrays.npz") });
    const whole = await collectRecords(folder);
    expect(await writeRecords(brought)).toEqual(whole);
    expect(await withFile(join(brought, "records.parquet"), readParquet)).toEqual(whole);
  });

  it("keeps the rows of runs whose folders are gone", async () => {
    const own = fresh();
    cpSync(folder, own, { recursive: true });
    const whole = await collectRecords(folder);
    rmSync(runFolder(own, plan.runs[1].id), { recursive: true });
    const byName = (rows: typeof whole) => [...rows].sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
    expect(byName(await studyRecords(own))).toEqual(byName(whole));
    expect(byName(await writeRecords(own))).toEqual(byName(whole));
    writeFileSync(join(own, "records.parquet"), "nonsense");
    expect(byName(await studyRecords(own))).toEqual(byName(whole)); // by the other file
    writeFileSync(join(own, "records.csv"), "nonsense");
    expect(await studyRecords(own)).toEqual(whole.filter(({ run_id }) => run_id !== plan.runs[1].id));
  });

  it("does not keep rows of a run in whose place another one was made", async () => {
    const own = fresh();
    await runStudy(own, await tinyPlan("seeds=[0]"), inlineRunner);
    for (const gone of ["runs", "studies"]) rmSync(join(own, gone), { recursive: true });
    await runStudy(own, await tinyPlan("seeds=[0]", "federation.rounds=11"), inlineRunner);
    const rows = await withFile(join(own, "records.parquet"), readParquet);
    expect(new Set(rows.map(({ run_id }) => run_id)).size).toBe(2);
    expect(Math.max(...rows.map(({ round }) => round))).toBe(11);
  }, 30_000);

  it("is compared with two references, each in rows of its own", async () => {
    const own = fresh();
    await runStudy(own, await tinyPlan("seeds=[0]"), inlineRunner);
    await expect(runStudy(own, await tinyPlan("seeds=[0]", "reference=0.1"), never)).rejects.toThrow(
      "holds study tiny with different options (reference is 0.1, was 100)",
    );
    await runStudy(own, await tinyPlan("name=other", "seeds=[0]", "reference=0.1"), inlineRunner);
    const rows = await withFile(join(own, "records.parquet"), readParquet);
    const pairs = new Set(rows.map(({ alpha, reference_alpha }) => `${alpha} against ${reference_alpha}`));
    expect([...pairs].sort()).toEqual([
      "0.1 against 0.1",
      "0.1 against 100",
      "100 against 0.1",
      "100 against 100",
    ]);
    expect((await verifyStudy(own)).problems).toEqual([]);
  }, 30_000);

  it("is verified", async () => {
    expect(await verifyStudy(folder)).toEqual({ checked: 4, unfinished: 0, problems: [] });
  });

  it("tells its status", async () => {
    const { studies, runs, workers, parts } = await studyStatus(folder);
    expect(studies).toEqual(["tiny"]);
    expect(runs.map(({ state }) => state)).toEqual(new Array(4).fill("finished"));
    expect(runs[0]).toMatchObject({ alpha: 100, round: 12, rounds: 12 });
    expect(workers).toEqual([]);
    expect(parts).toEqual([]);
  });

  it("is not redone", async () => {
    const before = readFileSync(join(folder, "records.parquet"));
    expect(await runStudy(folder, plan, never)).toMatchObject({ finished: 4, failed: [], stopped: false });
    expect(readFileSync(join(folder, "records.parquet"))).toEqual(before);
  });

  it("lets go of a finished run whose process was killed at the last moment", async () => {
    const lock = join(runFolder(folder, plan.runs[0].id), ".lock");
    const pid = spawnSync(process.execPath, ["-e", "0"]).pid;
    writeFileSync(lock, JSON.stringify({ pid, host: hostname(), started: null }));
    await runStudy(folder, plan, never);
    expect(existsSync(lock)).toBe(false);
  });

  it("takes more seeds into the same folder, and refuses other options under the same names", async () => {
    const own = fresh();
    await runStudy(own, await tinyPlan("seeds=[0]"), inlineRunner);
    expect(await runStudy(own, plan, inlineRunner)).toMatchObject({ finished: 4 });
    await expect(runStudy(own, await tinyPlan("federation.batch=8"), never)).rejects.toThrow(
      `${own} holds study tiny with different options (federation.batch is 8, was 16): choose another --out`,
    );
    const batches = await tinyPlan("name=batches", "federation.batch=8");
    for (const again of ["begun", "finished"])
      expect([again, (await runStudy(own, batches, inlineRunner)).finished]).toEqual([again, 4]);
    const sgd = await tinyPlan("name=sgd", "optimizer={name: sgd}");
    await runStudy(own, sgd, inlineRunner);
    expect((await readStudies(own)).map(({ specification }) => specification.name)).toEqual([
      "tiny",
      "batches",
      "sgd",
    ]);
    expect((await withFile(join(own, "records.parquet"), readParquet)).length).toBe(12 * 5);
    expect((await verifyStudy(own)).problems).toEqual([]);
  }, 30_000);

  it("takes another task that differs in what the table tells, and goes on with both", async () => {
    const own = fresh();
    await runStudy(own, await tinyPlan("seeds=[0]"), inlineRunner);
    const more = await tinyPlan(
      "seeds=[0]",
      "tasks=[{task: antiderivative, train: 64, test: 16}, {task: antiderivative, train: 70, test: 16}]",
    );
    for (const again of ["begun", "finished"])
      expect([again, (await runStudy(own, more, inlineRunner)).finished]).toEqual([again, 4]);
  }, 30_000);

  it("is carried out with another one, with which it shares runs, in one go", async () => {
    const own = fresh();
    const more = await tinyPlan("name=more", "seeds=[0]", "alphas=[100, 1]");
    expect(await runStudy(own, [plan, more], inlineRunner)).toMatchObject({ runs: 5, finished: 5 });
    const studies = await readStudies(own);
    expect(studies.map(({ specification, runs }) => [specification.name, runs.length])).toEqual([
      ["tiny", 4],
      ["more", 2],
    ]);
    const apart = fresh();
    await runStudy(apart, plan, inlineRunner);
    await runStudy(apart, more, inlineRunner);
    expect(readFileSync(join(own, "records.parquet"))).toEqual(readFileSync(join(apart, "records.parquet")));
  });

  it("is refused with another one that has its runs with other options, and neither is begun", async () => {
    const own = fresh();
    const other = await tinyPlan("name=other", "federation.rounds=11");
    await expect(runStudy(own, [plan, other], never)).rejects.toThrow(
      "studies other and tiny have the same runs with different options (federation.rounds is 11, was 12): use a folder for each",
    );
    expect(await readStudies(own)).toEqual([]);
  });
});

describe("a study in trouble", () => {
  it("goes on with the other runs when one fails", async () => {
    const own = fresh();
    const failing = (study: string): Runner => {
      const real = inlineRunner(study);
      return {
        ...real,
        run: ([run], onRound) =>
          run.id === plan.runs[1].id ? Promise.reject(new Error("no luck")) : real.run([run], onRound),
      };
    };
    const outcome = await runStudy(own, plan, failing);
    expect(outcome).toMatchObject({ finished: 3, failed: [{ id: plan.runs[1].id }] });
    expect((await withFile(join(own, "records.parquet"), readParquet)).length).toBe(3 * 5);
    expect(await verifyStudy(own)).toEqual({ checked: 3, unfinished: 1, problems: [] });
  });

  it("leaves in a run's folder why it failed, until it is carried out again", async () => {
    const own = fresh();
    const [reference, compared] = plan.runs;
    const failing =
      (id: string, error: Error) =>
      (study: string): Runner => {
        const real = inlineRunner(study);
        return {
          ...real,
          run: ([run], onRound) => (run.id === id ? Promise.reject(error) : real.run([run], onRound)),
        };
      };
    const diverged = new DataError(`run ${compared.id} diverged before round 5: use a smaller learning rate`);
    await runStudy(own, plan, failing(compared.id, diverged));
    expect(await readFailure(runFolder(own, compared.id))).toMatchObject({ reason: "diverged", round: 5 });
    expect(await missingRuns(own)).toMatchObject([
      { alpha: 0.1, seed: 0, reference_alpha: 100, run_id: compared.id, why: "diverged before round 5" },
    ]);
    expect((await studyStatus(own)).runs.map(({ state, failure }) => [state, failure])).toEqual([
      ["finished", null],
      ["failed", "diverged before round 5"],
      ["finished", null],
      ["finished", null],
    ]);
    expect((await studyFacts(own)).missing).toHaveLength(1);

    const other = fresh();
    await runStudy(other, plan, failing(reference.id, new Error("no luck")));
    expect((await missingRuns(other)).map(({ alpha, seed, why }) => [alpha, seed, why])).toEqual([
      [100, 0, "failed: no luck"],
      [0.1, 0, "without a reference (failed: no luck)"],
    ]);

    await runStudy(own, plan, inlineRunner);
    expect(existsSync(join(runFolder(own, compared.id), "failure.json"))).toBe(false);
    expect(await missingRuns(own)).toEqual([]);
  });

  it("keeps no failure of runs that were told to stop, which are just not finished", async () => {
    const own = fresh();
    const stopping = (): Runner => ({
      jobs: 1,
      run: () => Promise.reject(new Stopped()),
      stop: () => {},
      close: async () => {},
    });
    await runStudy(own, plan, stopping);
    expect((await missingRuns(own)).map(({ why }) => why)).toEqual(plan.runs.map(() => "not finished"));
    expect((await studyStatus(own)).runs.every(({ state }) => state === "waiting")).toBe(true);
  });

  it("stops at once where nothing can be written, loses nothing, and goes on later", async () => {
    const own = fresh();
    const blocked = runFolder(own, plan.runs[2].id);
    mkdirSync(join(own, "runs"));
    writeFileSync(blocked, "in the way");
    const stuck = runStudy(own, plan, inlineRunner);
    await expect(stuck).rejects.toThrow(FileError);
    await expect(stuck).rejects.toThrow(/is a file, not a folder \(2 of 4 runs are finished and saved/);
    expect(existsSync(join(own, ".lock"))).toBe(false);
    rmSync(blocked);
    const made: string[] = [];
    const watched = (study: string): Runner => {
      const real = inlineRunner(study);
      return {
        ...real,
        run: ([run], onRound) => {
          made.push(run.id);
          return real.run([run], onRound);
        },
      };
    };
    await runStudy(own, plan, watched);
    expect(made).toEqual(plan.runs.slice(2).map(({ id }) => id));
  });

  it("shares a folder with others at work there, and makes no run twice", async () => {
    const own = fresh();
    const made: string[] = [];
    const noted = (study: string): Runner => {
      const real = inlineRunner(study);
      return {
        ...real,
        // A run that the other has just finished is looked up, without any round.
        run: (batch, onRound, onFinish) =>
          real.run(
            batch,
            (run, round) => {
              if (round === 12) made.push(run.id);
              onRound(run, round);
            },
            onFinish,
          ),
      };
    };
    const waited: string[] = [];
    const onWaiting = (message: string) => waited.push(message);
    const both = [runStudy(own, plan, noted, { onWaiting }), runStudy(own, plan, noted, { onWaiting })];
    await expect.poll(async () => (await studyStatus(own).catch(() => undefined))?.workers.length).toBe(2);
    for (const outcome of await Promise.all(both))
      expect(outcome).toMatchObject({ finished: 4, failed: [], elsewhere: [], hasTable: true });
    expect(new Set(made).size).toBe(4);
    expect(made.filter((id, i) => made.indexOf(id) < i)).toEqual([]);
    for (const message of waited) expect(message).toMatch(/^waiting for \d runs? of process \d+$/);
    expect(runHashes(own)).toEqual(runHashes(folder));
    expect(readdirSync(own).sort()).toEqual(readdirSync(folder).sort());
  });
});

describe("verification", () => {
  const tampered = async (change: (path: (file: string) => string) => void | Promise<void>) => {
    const own = fresh();
    cpSync(folder, own, { recursive: true });
    await change((file) => join(runFolder(own, plan.runs[1].id), file));
    return (await verifyStudy(own)).problems.join("\n");
  };
  const edit = (path: string, from: string | RegExp, to: string) =>
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  /** Changes a record of the layout that has no digest of its own. */
  const editEarlier = (path: string, from: string | RegExp, to: string) => {
    const { sha256: _, ...rest } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...rest, schema: "pde-dirichlet/run/2" }));
    edit(path, from, to);
  };

  it("finds a parameter that was changed", async () => {
    const found = await tampered(async (path) => {
      const file = path("parameters.safetensors");
      const contents = await withFile(file, readSafetensors);
      contents.tensors.bias.values[0] += 1;
      writeFileSync(file, writeSafetensors(contents));
    });
    expect(found).toMatch(/parameters.safetensors has changed since it was written/);
    expect(found).toMatch(/its parameters.safetensors does not match the hash in run.json/);
  });

  it("finds a journal that was shortened or changed", async () => {
    const shortened = await tampered((path) => edit(path("journal.jsonl"), /.*\n$/, ""));
    expect(shortened).toMatch(/the journal does not contain every checkpoint exactly once/);
    expect(shortened).toMatch(/its result does not match the last line of the journal/);
    const half = await tampered((path) => edit(path("journal.jsonl"), /\n$/, ""));
    expect(half).toMatch(/journal.jsonl ends in half a line/);
  });

  it("finds options, counts and results that were changed in a record without a digest", async () => {
    expect(await tampered((path) => editEarlier(path("run.json"), '"batch":16', '"batch":17'))).toMatch(
      /its name is not the hash of its options/,
    );
    expect(
      await tampered((path) => editEarlier(path("run.json"), /"counts":\[\[(\d+)/, '"counts":[[1$1')),
    ).toMatch(/its counts do not match its partition/);
    expect(
      await tampered((path) => editEarlier(path("run.json"), /"bins_sha256":"./, '"bins_sha256":"x')),
    ).toMatch(/its reference has different bins/);
  });

  it("finds files that are missing", async () => {
    expect(await tampered((path) => rmSync(path("arrays.npz")))).toMatch(/cannot read .*arrays.npz/);
    expect(await tampered((path) => rmSync(path("../../records.parquet")))).toMatch(/records.parquet/);
    expect(await tampered((path) => edit(path("../../records.parquet"), "PAR1", "PAR2"))).toMatch(
      /records.parquet is not/,
    );
  });

  it("finds a number of the table that was changed, in either file", async () => {
    const id = plan.runs[1].id;
    const csv = await tampered((path) =>
      edit(path("../../records.csv"), /(antiderivative,[^,]*,[^,]*,0\.1,alpha 0\.1,100,0,0,)/, "$11"),
    );
    expect(csv).toMatch(new RegExp(`^.*records\\.csv: run ${id}: d_sol of round 0 is 1\\S*, not [\\d.]+$`));
    const parquet = await tampered(async (path) => {
      const file = path("../../records.parquet");
      const rows = await withFile(file, readParquet);
      writeFileSync(file, writeParquet(rows.map((row, i) => (i === 7 ? { ...row, test_error: 0 } : row))));
    });
    expect(parquet).toMatch(/records\.parquet: run \S+: test_error of round \d+ is 0, not [\d.]+$/);
    const shortened = await tampered((path) => edit(path("../../records.csv"), /.*\n$/, ""));
    expect(shortened).toMatch(
      /records\.csv: run \S+: the table has rows of rounds 0, [\d, ]+, not 0, [\d, ]+, 12$/,
    );
  });

  it("finds rows of runs that are gone", async () => {
    const one = await tampered((path) => rmSync(path("."), { recursive: true }));
    expect(one.split("\n")).toEqual(
      ["parquet", "csv"].map((kind) =>
        expect.stringMatching(
          new RegExp(
            `records.${kind}: run ${plan.runs[1].id}: the table has rows of it, but the run or its reference is missing or not finished$`,
          ),
        ),
      ),
    );
    const all = await tampered((path) => rmSync(path(".."), { recursive: true }));
    expect(all.split("\n")).toHaveLength(2 * 4);
  });

  it("lets a study that was stopped have the table of earlier runs, but the same in both files", async () => {
    const own = fresh();
    await runStudy(own, await tinyPlan("seeds=[0]"), inlineRunner);
    const failing = (study: string): Runner => ({
      ...inlineRunner(study),
      run: () => Promise.reject(new Error("no luck")),
    });
    const before = ["records.parquet", "records.csv"].map((name) => readFileSync(join(own, name)));
    await runStudy(own, plan, failing);
    ["records.parquet", "records.csv"].forEach((name, i) => {
      writeFileSync(join(own, name), before[i]);
    });
    expect(await verifyStudy(own)).toEqual({ checked: 2, unfinished: 2, problems: [] });
    rmSync(join(own, "records.csv"));
    expect((await verifyStudy(own)).problems).toEqual([expect.stringMatching(/records\.csv is missing$/)]);
    rmSync(join(own, "records.parquet"));
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("lets a table of an earlier version be without later columns, but not without single numbers", async () => {
    const own = fresh();
    cpSync(folder, own, { recursive: true });
    const rows = await collectRecords(own);
    const unknown = { n_min: NaN, n_max: NaN, h_q: NaN, h_w: NaN };
    await writeTable(
      own,
      rows.map((row) => ({ ...row, ...unknown })),
    );
    expect((await verifyStudy(own)).problems).toEqual([]);
    await writeTable(
      own,
      rows.map((row, i) => (i === 0 ? { ...row, n_min: NaN } : row)),
    );
    expect((await verifyStudy(own)).problems.join()).toMatch(/n_min of round 0 is NaN, not \d+/);
    expect((await refreshRecords(own)).every(({ n_min, n_max }) => n_min >= 4 && n_max <= 64)).toBe(true);
  });

  it("refuses a folder without studies", async () => {
    await expect(verifyStudy(fresh())).rejects.toThrow(/holds no study/);
    await expect(studyStatus(fresh())).rejects.toThrow(/holds no study/);
  });
});
