import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Backend, OutputValues } from "../../src/engine/backend.js";
import { DeviceError, FileError } from "../../src/errors.js";
import { type OpenBackend, openBackend } from "../../src/federation/backends.js";
import { readFinishedRun, readRunRecord, runFolder, withFile } from "../../src/records/run-folder.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { readParquet } from "../../src/records/seed-table.js";
import { type ReplicaRunnerOptions, replicaRunner } from "../../src/studies/execution/replicas-runner.js";
import { reachedRound } from "../../src/studies/execution/run-recorder.js";
import { inlineRunner, type Runner } from "../../src/studies/execution/runner.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { runStudy, type StudyHooks } from "../../src/studies/study.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
let plan: StudyPlan;
let whole: string;

const batched = (folder: string, options: ReplicaRunnerOptions = {}, hooks?: StudyHooks, of = plan) =>
  runStudy(folder, of, (study) => replicaRunner(study, options), hooks);
const file = (study: string, run: number, name: string) => join(runFolder(study, plan.runs[run].id), name);
const replicas = (study: string) =>
  Promise.all(
    plan.runs.map(async ({ id }) => (await readRunRecord(runFolder(study, id)))?.hardware.replicas),
  );
const rounds = (study: string) =>
  Promise.all(
    plan.runs.map(({ id, options }) =>
      reachedRound(runFolder(study, id), {
        id,
        hardware: { backend: "onnx" },
        options: recordedOptions(options),
      }),
    ),
  );

beforeAll(async () => {
  plan = await tinyPlan();
  whole = fresh();
  await batched(whole);
});

/** ONNX Runtime, with something that happens to what comes back from the program of a round. */
function disturbed(disturb: (round: number, outputs: Readonly<Record<string, OutputValues>>) => void) {
  return async (): Promise<OpenBackend> => {
    const { backend, ...opened } = await openBackend({ backend: "onnx" }, "cpu");
    const disturbing: Backend = {
      name: "disturbed",
      async compile(program, options) {
        const executable = await backend.compile(program, options);
        let round = 0;
        return {
          run: async (inputs) => {
            const outputs = await executable.run(inputs);
            if ("dispersion" in outputs) disturb(++round, outputs);
            return outputs;
          },
          read: (name) => executable.read(name),
          write: (name, values) => executable.write(name, values),
          close: () => executable.close(),
        };
      },
    };
    return { ...opened, backend: disturbing };
  };
}

/** All files but times are those of a study that was never disturbed. */
async function hasTheSameBits(study: string): Promise<void> {
  for (const [run, { id }] of plan.runs.entries()) {
    const { record } = await readFinishedRun(runFolder(study, id));
    const expected = await readFinishedRun(runFolder(whole, id));
    expect(record.result.files).toEqual(expected.record.result.files);
    expect(readFileSync(file(study, run, "journal.jsonl"), "utf8")).toBe(
      readFileSync(file(whole, run, "journal.jsonl"), "utf8"),
    );
  }
}

describe("a study whose runs are replicas of one program", () => {
  it("has the records of one whose runs go alone", async () => {
    const own = fresh();
    await runStudy(own, plan, inlineRunner);
    const [alone, beside] = await Promise.all(
      [own, whole].map((study) => withFile(join(study, "records.parquet"), readParquet)),
    );
    expect(beside.length).toBe(20);
    beside.forEach((row, i) => {
      for (const [name, value] of Object.entries(alone[i])) {
        const found = row[name as keyof SeedRecord];
        if (typeof value === "number" && !Number.isNaN(value)) expect(found, name).toBeCloseTo(value, 5);
        else expect(found, name).toEqual(value);
      }
    });
  });

  it("is verified, and says how many replicas there were", async () => {
    expect(await verifyStudy(whole)).toEqual({ checked: 4, unfinished: 0, problems: [] });
    expect(await replicas(whole)).toEqual([4, 4, 4, 4]);
  });

  it("takes as many at once as are asked for, or as the memory holds", async () => {
    const few = fresh();
    await batched(few, { replicas: 3 });
    expect(await replicas(few)).toEqual([2, 2, 2, 2]);
    const one = fresh();
    await batched(one, { memory: 1 });
    expect(await replicas(one)).toEqual(new Array(4).fill(undefined));
    expect((await verifyStudy(one)).problems).toEqual([]);
  });

  it("takes no more at once than keep a GPU busy, unless told to", async () => {
    const backend = async (): Promise<OpenBackend> => {
      const { backend: real, ...opened } = await openBackend({ backend: "onnx" }, "cpu");
      const demand = () => ({ working: 2 ** 31, largest: 1 });
      return { ...opened, backend: { ...real, prefersLargeKernels: true, memory: 1e12, demand } };
    };
    const [own, told] = [fresh(), fresh()];
    await batched(own, { backend });
    await batched(told, { backend, replicas: 4 });
    expect([await replicas(own), await replicas(told)]).toEqual([new Array(4).fill(2), new Array(4).fill(4)]);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("prepares runs while others are trained, but trains those of one program at a time", async () => {
    const own = fresh();
    let [open, most] = [0, 0];
    const backend = async (): Promise<OpenBackend> => {
      const { backend: real, ...opened } = await openBackend({ backend: "onnx" }, "cpu");
      const compile: Backend["compile"] = async (program, options) => {
        const executable = await real.compile(program, options);
        // Updates are measured by a program of their own, beside that of the rounds.
        if (!program.outputs.has("dispersion") || program.outputs.has("update squares")) return executable;
        most = Math.max(most, ++open);
        return {
          run: async (inputs) => {
            await vi.waitUntil(() => existsSync(file(own, 3, "run.json")), { timeout: 20_000 });
            return executable.run(inputs);
          },
          read: (name) => executable.read(name),
          write: (name, values) => executable.write(name, values),
          close: async () => {
            open--;
            await executable.close();
          },
        };
      };
      return { ...opened, backend: { name: "watched", compile } };
    };
    expect((await batched(own, { replicas: 2, backend })).finished).toBe(4);
    expect([open, most]).toEqual([0, 1]);
    expect((await verifyStudy(own)).problems).toEqual([]);
  });

  it("stops runs that wait for others, too", async () => {
    const own = fresh();
    const stop = new AbortController();
    const onProgress = () => existsSync(file(own, 3, "run.json")) && stop.abort();
    const stopped = await batched(own, { replicas: 2 }, { signal: stop.signal, onProgress });
    expect(stopped.stopped).toBe(true);
    for (const run of plan.runs.keys()) expect(existsSync(file(own, run, ".lock"))).toBe(false);
    expect((await batched(own, { replicas: 2 })).finished).toBe(4);
    expect(await verifyStudy(own)).toEqual({ checked: 4, unfinished: 0, problems: [] });
  });

  it("takes half as many at a time where a GPU has no memory left", async () => {
    const own = fresh();
    const backend = async (): Promise<OpenBackend> => {
      const opened = await openBackend({ backend: "onnx" }, "cpu");
      const compile: Backend["compile"] = async (program, options) => {
        const runs = program.inputs.get("shares")?.shape[0] ?? 1;
        if (runs > 2) throw new DeviceError("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
        return opened.backend.compile(program, options);
      };
      return { ...opened, backend: { ...opened.backend, compile } };
    };
    expect(await batched(own, { backend })).toMatchObject({ finished: 4, failed: [] });
    expect(await replicas(own)).toEqual([2, 2, 2, 2]);
  });

  it("leaves no program behind where there is no memory for what it holds", async () => {
    const own = fresh();
    let open = 0;
    const backend = async (): Promise<OpenBackend> => {
      const { backend: real, ...opened } = await openBackend({ backend: "onnx" }, "cpu");
      const compile: Backend["compile"] = async (program, options) => {
        const executable = await real.compile(program, options);
        const parameters = program.inputs.get("parameters") ?? program.inputs.get("server.parameters");
        const runs = parameters!.shape[0];
        open++;
        return {
          run: (inputs, wanted) => executable.run(inputs, wanted),
          read: (name) => executable.read(name),
          write(name, values) {
            // Of all four runs the test samples do not fit, of two the optimiser's states do not.
            if (runs === 4 ? open === 2 : runs === 2 && name === "clients.second")
              throw new DeviceError("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
            executable.write(name, values);
          },
          close: async () => {
            open--;
            await executable.close();
          },
        };
      };
      return { ...opened, backend: { name: "small", compile } };
    };
    expect(await batched(own, { backend })).toMatchObject({ finished: 4, failed: [] });
    expect(await replicas(own)).toEqual(new Array(4).fill(undefined));
    expect(open).toBe(0);
  });

  it("reports the rounds of every run", async () => {
    const seen: number[] = [];
    await batched(fresh(), {}, { onProgress: ({ done }) => seen.push(done) });
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
  });

  it("carries out models that take one client at a time run after run", async () => {
    const own = fresh();
    const fields = await tinyPlan(
      "tasks=[{ task: darcy, grid: 16, train: 24, test: 4, min_size: 4, model: { width: 2, modes: 2 } }]",
      "seeds=[0]",
      "federation.rounds=2",
    );
    expect(await batched(own, {}, {}, fields)).toMatchObject({ finished: 2, failed: [] });
    expect((await verifyStudy(own)).problems).toEqual([]);
  });
});

describe("replicas in trouble", () => {
  const powerFails = (at: number) =>
    disturbed((round) => {
      if (round === at) throw new Error("the power failed");
    });

  it.each([1, 5, 8, 12])("die in round %i and go on to the same bits", async (round) => {
    const own = fresh();
    const { failed } = await batched(own, { backend: powerFails(round), saveEvery: 0 });
    expect(failed.map(({ error }) => error.message)).toEqual(new Array(4).fill("the power failed"));
    const reached = await rounds(own);
    if (round > 1) expect(reached[0]).toBeGreaterThan(0);
    expect(new Set(reached).size).toBe(1);
    await batched(own);
    await hasTheSameBits(own);
  });

  it("go on in batches of those that came to the same round, to the same parameters", async () => {
    const own = fresh();
    await batched(own, { backend: powerFails(8), saveEvery: 0 });
    rmSync(file(own, 2, "state.npz"));
    await batched(own);
    expect(await replicas(own)).toEqual([3, 3, undefined, 3]);
    for (const { id } of plan.runs) {
      const { record } = await readFinishedRun(runFolder(own, id));
      const expected = await readFinishedRun(runFolder(whole, id));
      expect(record.result.parameters_sha256).toBe(expected.record.result.parameters_sha256);
    }
  });

  it("save their states when they are told to stop", async () => {
    const own = fresh();
    const stop = new AbortController();
    const backend = disturbed((round) => round === 6 && stop.abort());
    const outcome = await batched(own, { backend }, { signal: stop.signal });
    expect(outcome).toMatchObject({ finished: 0, failed: [], stopped: true });
    expect(await rounds(own)).toEqual([6, 6, 6, 6]);
    await batched(own);
    await hasTheSameBits(own);
  });

  it("leave behind one that diverges", async () => {
    const own = fresh();
    const backend = disturbed((round, { dispersion }) => {
      if (round === 5) dispersion[1] = NaN;
    });
    const { finished, failed } = await batched(own, { backend, saveEvery: 0 });
    expect(finished).toBe(3);
    expect(failed.map(({ id }) => id)).toEqual([plan.runs[1].id]);
    expect(failed[0].error.message).toMatch(/diverged before round 5/);
    expect(await verifyStudy(own)).toEqual({ checked: 3, unfinished: 1, problems: [] });
  });

  it("end where nothing can be written, and go on later", async () => {
    const own = fresh();
    mkdirSync(join(own, "runs"));
    const blocked = runFolder(own, plan.runs[2].id);
    writeFileSync(blocked, "in the way");
    await expect(batched(own)).rejects.toThrow(FileError);
    expect(existsSync(file(own, 0, ".lock"))).toBe(false);
    rmSync(blocked);
    await batched(own);
    await hasTheSameBits(own);
  });

  it("all fail if their data cannot be had", async () => {
    const refusing = (study: string): Runner => {
      const real = replicaRunner(study);
      return { ...real, run: () => Promise.reject(new Error("no data")) };
    };
    expect((await runStudy(fresh(), plan, refusing)).failed.length).toBe(4);
  });
});
