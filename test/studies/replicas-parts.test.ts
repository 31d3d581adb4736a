import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { GenerateOptions } from "../../src/datasets/generate.js";
import type * as generatedFile from "../../src/datasets/generated-file.js";
import type { Backend, Executable } from "../../src/engine/backend.js";
import { DataError, FileError } from "../../src/errors.js";
import { type OpenBackend, openBackend } from "../../src/federation/backends.js";
import { runFolder } from "../../src/records/run-folder.js";
import { type ReplicaRunnerOptions, replicaRunner } from "../../src/studies/execution/replicas-runner.js";
import { RunRecorder } from "../../src/studies/execution/run-recorder.js";
import type { Runner } from "../../src/studies/execution/runner.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { runStudy, type StudyHooks } from "../../src/studies/study.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

/** Called before data are generated or read. */
let onData = (_: GenerateOptions): void => {};

vi.mock("../../src/datasets/generated-file.js", async (original) => {
  const real = await original<typeof generatedFile>();
  const watched =
    <A extends readonly unknown[], R>(of: (options: GenerateOptions, ...rest: A) => Promise<R>) =>
    async (options: GenerateOptions, ...rest: A) => {
      onData(options);
      return of(options, ...rest);
    };
  const { prepareDataset, generatedDataset } = real;
  return { ...real, prepareDataset: watched(prepareDataset), generatedDataset: watched(generatedDataset) };
});

const fresh = studyFolders();
let plan: StudyPlan;

const batched = (folder: string, options: ReplicaRunnerOptions = {}, hooks?: StudyHooks) =>
  runStudy(folder, plan, (study) => replicaRunner(study, options), hooks);
const locked = (study: string) =>
  plan.runs.filter(({ id }) => existsSync(join(runFolder(study, id), ".lock"))).length;

const bound = (executable: Executable): Executable => ({
  run: (...given) => executable.run(...given),
  read: (name) => executable.read(name),
  write: (name, values) => executable.write(name, values),
  close: () => executable.close(),
});

beforeAll(async () => {
  plan = await tinyPlan("seeds=[0,1,2]", "federation.rounds=2");
});
beforeEach(() => {
  onData = () => {};
});

describe("parts of a batch of replicas", () => {
  it("are no more than three at a time, however long it takes to write them", async () => {
    const [own, open, finish] = [fresh(), RunRecorder.open, RunRecorder.prototype.finish];
    let [inHand, most] = [0, 0];
    const opening = vi.spyOn(RunRecorder, "open").mockImplementation((...given) => {
      most = Math.max(most, ++inHand);
      return open.apply(RunRecorder, given);
    });
    const finishing = vi.spyOn(RunRecorder.prototype, "finish").mockImplementation(async function (
      this: RunRecorder,
      ...given
    ) {
      await pause(200);
      const result = await finish.apply(this, given);
      inHand--;
      return result;
    });
    try {
      expect((await batched(own, { memory: 1 })).finished).toBe(6);
    } finally {
      opening.mockRestore();
      finishing.mockRestore();
    }
    expect([inHand, most]).toEqual([0, 3]);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("count as finished when they are, not when the last one is", async () => {
    const seen = new Set<number>();
    await batched(fresh(), { memory: 1 }, { onProgress: ({ finished }) => void seen.add(finished) });
    expect([...seen]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("have their data generated while those before them are trained", async () => {
    const later = await tinyPlan("name=later", "seeds=[3]", "federation.rounds=2", "federation.clients=2");
    const seen: number[] = [];
    onData = ({ seed = 0 }) => seen.push(seed);
    /** Takes one batch after another, and keeps each until the last one's data are asked for. */
    const patient = (study: string): Runner => {
      const real = replicaRunner(study);
      const run: Runner["run"] = async (batch, onRound) => {
        await expect.poll(() => seen).toContain(3);
        return real.run(batch, onRound);
      };
      return { ...real, prefetch: 0, run };
    };
    expect(await runStudy(fresh(), [plan, later], patient)).toMatchObject({ finished: 8, failed: [] });
  });

  it("have their programs prepared while those before them are trained", async () => {
    const events: string[] = [];
    const backend = async (): Promise<OpenBackend> => {
      const opened = await openBackend({ backend: "onnx" }, "cpu");
      const { compile } = opened.backend;
      const watched: Backend = {
        name: "watched",
        prepare: async () => {
          events.push("prepared");
        },
        async compile(program, options) {
          const executable = await compile(program, options);
          // Updates are measured by a program of their own, beside that of the rounds.
          if (!program.outputs.has("dispersion") || program.outputs.has("update squares")) return executable;
          // The first round takes as long as the others need.
          const run: Executable["run"] = async (...given) => {
            if (events.push("round") === 5) await expect.poll(() => events.length).toBe(9);
            return executable.run(...given);
          };
          return { ...bound(executable), run };
        },
      };
      return { ...opened, backend: watched };
    };
    expect(await batched(fresh(), { replicas: 3, backend })).toMatchObject({ finished: 6 });
    const ofBatch = new Array(4).fill("prepared");
    expect(events).toEqual([...ofBatch, "round", ...ofBatch, "round", "round", "round"]);
  });

  it("leave behind the runs whose data cannot be had, and no others", async () => {
    const own = fresh();
    onData = ({ seed }) => {
      if (seed === 0) throw new DataError("there are none");
    };
    const { finished, failed } = await batched(own);
    expect(finished).toBe(4);
    expect(failed.map(({ id }) => id)).toEqual(
      plan.runs.flatMap(({ id, options }) => (options.seed === 0 ? [id] : [])),
    );
    onData = () => {};
    expect((await batched(own)).finished).toBe(6);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("let go of their folders, even if a journal cannot be closed", async () => {
    const [own, close] = [fresh(), RunRecorder.prototype.close];
    let closed = 0;
    const closing = vi.spyOn(RunRecorder.prototype, "close").mockImplementation(async function (
      this: RunRecorder,
    ) {
      await close.call(this);
      if (closed++ === 0) throw new Error("no answer from the disk");
    });
    const { finished, failed } = await batched(own, { replicas: 3 });
    closing.mockRestore();
    expect([finished, failed.length, closed, locked(own)]).toEqual([5, 1, 6, 0]);
    expect((await batched(own)).finished).toBe(6);
  });

  it("are not trained where another one could not be written", async () => {
    const own = fresh();
    const finishing = vi.spyOn(RunRecorder.prototype, "finish").mockRejectedValueOnce(new FileError("full"));
    await expect(batched(own, { memory: 1 })).rejects.toThrow("run the same command to resume");
    finishing.mockRestore();
    expect(locked(own)).toBe(0);
    const begun = plan.runs.filter(({ id }) => existsSync(join(runFolder(own, id), "run.json")));
    expect(begun.length).toBeLessThan(plan.runs.length);
    expect((await batched(own)).finished).toBe(6);
  });

  it("go on while their checkpoints are written", async () => {
    const [own, { checkpoint }] = [fresh(), RunRecorder.prototype];
    let reached = 0;
    const noting = vi.spyOn(RunRecorder.prototype, "checkpoint").mockImplementation(async function (
      this: RunRecorder,
      given,
    ) {
      await expect.poll(() => reached).toBeGreaterThan(0);
      return checkpoint.call(this, given);
    });
    const onProgress: StudyHooks["onProgress"] = ({ done }) => {
      reached = Math.max(reached, done);
    };
    const outcome = await batched(own, {}, { onProgress }).finally(() => noting.mockRestore());
    expect(outcome).toMatchObject({ finished: 6, failed: [] });
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("end where a checkpoint cannot be written, and go on later", async () => {
    const own = fresh();
    const noting = vi.spyOn(RunRecorder.prototype, "checkpoint").mockRejectedValueOnce(new FileError("full"));
    await expect(batched(own)).rejects.toThrow(/^full \(0 of 6 runs are finished and saved/);
    noting.mockRestore();
    expect(locked(own)).toBe(0);
    expect((await batched(own)).finished).toBe(6);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("are not generated data for once they are told to stop", async () => {
    const own = fresh();
    const stop = new AbortController();
    let asked = 0;
    onData = () => {
      asked++;
      stop.abort();
    };
    const { stopped, finished } = await batched(own, {}, { signal: stop.signal });
    expect([stopped, finished, asked, locked(own)]).toEqual([true, 0, 1, 0]);
  });
});
