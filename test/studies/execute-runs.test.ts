import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { openBackend } from "../../src/federation/backends.js";
import type { PreparedData } from "../../src/federation/federation.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { writeNpz } from "../../src/files/npz.js";
import { readFinishedRun, runFolder } from "../../src/records/run-folder.js";
import type { RunResult } from "../../src/records/run-record.js";
import { type Execution, executeRun } from "../../src/studies/execution/execute-runs.js";
import { Stopped } from "../../src/studies/execution/stopped.js";
import type { PlannedRun } from "../../src/studies/plan.js";
import { studyFolders, tinyPlan } from "./tiny-study.js";

const fresh = studyFolders();
let run: PlannedRun;
let data: PreparedData;
let whole: { readonly result: RunResult; readonly journal: string };

const folderOf = (study: string) => runFolder(study, run.id);
const journalOf = (study: string) => readFileSync(join(folderOf(study), "journal.jsonl"), "utf8");
const execute = (study: string, execution?: Partial<Execution>) =>
  executeRun(study, run, async () => data, execution);

beforeAll(async () => {
  run = (await tinyPlan()).runs[1];
  data = await prepareData(run.options);
  const study = fresh();
  whole = { result: await execute(study), journal: journalOf(study) };
});

/** Dies in the round after this one, whose state may have been saved. */
const diesAfter = (at: number): Partial<Execution> => ({
  onRound: (_, round) => {
    if (round === at + 1) throw new Error("the power failed");
  },
});

/** Goes on after an interruption; the end must be that of a run that was never disturbed. */
async function goesOnToTheSameBits(study: string): Promise<void> {
  const result = await execute(study);
  expect(result.parameters_sha256).toBe(whole.result.parameters_sha256);
  expect(result.test_error).toBe(whole.result.test_error);
  expect(result.files).toEqual(whole.result.files);
  expect(journalOf(study)).toBe(whole.journal);
}

describe("a run", () => {
  it("leaves a folder with everything, and no resume state", async () => {
    const study = fresh();
    const result = await execute(study);
    expect(readdirSync(folderOf(study)).sort()).toEqual(
      ["arrays.npz", "journal.jsonl", "model.onnx", "parameters.safetensors", "run.json"].sort(),
    );
    const { record, journal, arrays } = await readFinishedRun(folderOf(study));
    expect(record.result).toEqual(result);
    expect(record.architecture).toMatchObject({ name: "deeponet", parameters: 7401 });
    expect(record.partition.sizes.reduce((a, b) => a + b)).toBe(64);
    expect(journal.map(({ round }) => round)).toEqual([0, 1, 5, 10, 12]);
    expect(arrays.rounds).toEqual([0, 1, 5, 10, 12]);
    expect(journal[0].h_g_norm).toBeGreaterThan(0);
    expect(journal.at(-1)!.parameters_sha256).toBe(result.parameters_sha256);
  });

  it.each([1, 4, 5, 9, 10, 11])("that dies after round %i goes on to the same bits", async (round) => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(round) })).rejects.toThrow("power");
    expect(existsSync(join(folderOf(study), "state.npz"))).toBe(true);
    await goesOnToTheSameBits(study);
  });

  it("whose state fits into no file says so, saves none and is made whole", async () => {
    const study = fresh();
    const notices: string[] = [];
    const bounded = { saveEvery: 0, largestState: 1e5, onNotice: (notice: string) => notices.push(notice) };
    await expect(execute(study, { ...bounded, ...diesAfter(7) })).rejects.toThrow("power");
    expect(existsSync(join(folderOf(study), "state.npz"))).toBe(false);
    expect(notices).toEqual([
      // Two vectors of three clients, the server's parameters and those of five checkpoints.
      expect.stringMatching(
        /cannot be resumed: its state may take 0\.000355 GB, and a file holds 0\.000100 GB; /,
      ),
    ]);
    await goesOnToTheSameBits(study);
  });

  it("goes on from the last saved state, not from the beginning", async () => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(7) })).rejects.toThrow("power");
    const rounds: number[] = [];
    await execute(study, { onRound: (_, round) => rounds.push(round) });
    expect(rounds).toEqual([8, 9, 10, 11, 12]);
  });

  it("begins anew without a saved state", async () => {
    const study = fresh();
    await expect(execute(study, { ...diesAfter(7) })).rejects.toThrow("power");
    await goesOnToTheSameBits(study);
  });

  it.each([
    ["half a line", (path: string) => appendFileSync(path, '{"round":10,"test_er')],
    ["a line of a later round", (path: string) => appendFileSync(path, `${whole.journal.split("\n")[3]}\n`)],
    ["nothing of its lines", (path: string) => writeFileSync(path, "")],
  ])("goes on with a journal that holds %s", async (_, damage) => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(7) })).rejects.toThrow("power");
    damage(join(folderOf(study), "journal.jsonl"));
    await goesOnToTheSameBits(study);
  });

  it("goes on with a state that cannot be read by beginning anew", async () => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(7) })).rejects.toThrow("power");
    writeFileSync(join(folderOf(study), "state.npz"), "not an archive");
    await goesOnToTheSameBits(study);
  });

  /** A run that was interrupted after round 7, with its folder damaged; what is said as it goes on to the same bits. */
  const saidAfter = async (damage: (path: (file: string) => string) => void): Promise<string[]> => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(7) })).rejects.toThrow("power");
    damage((file) => join(folderOf(study), file));
    const said: string[] = [];
    const result = await execute(study, { onNotice: (message) => said.push(message) });
    expect(result.files).toEqual(whole.result.files);
    expect(journalOf(study)).toBe(whole.journal);
    return said;
  };

  it.each([0.2, 0.5, 0.8])(
    "begins again where a bit of its state has changed, at %f of it",
    async (share) => {
      const said = await saidAfter((path) => {
        const bytes = readFileSync(path("state.npz"));
        bytes[Math.floor(share * bytes.length)] ^= 16;
        writeFileSync(path("state.npz"), bytes);
      });
      expect(said).toEqual([
        expect.stringMatching(/^run \S+ restarts from round 0: \S+state.npz:\S+ is damaged: its checksum/),
      ]);
    },
  );

  it("begins again where a line of its journal has changed since the state was saved", async () => {
    const said = await saidAfter((path) => {
      const journal = readFileSync(path("journal.jsonl"), "utf8");
      const changed = journal.replace(/("round":5,"test_error":)\d\./, "$17.");
      expect(changed).not.toBe(journal);
      writeFileSync(path("journal.jsonl"), changed);
    });
    expect(said).toEqual([
      `run ${run.id} restarts from round 0: its journal.jsonl has changed since its state was saved`,
    ]);
  });

  it("begins again where its state is of the layout without names, and says so", async () => {
    const said = await saidAfter((path) => {
      const journal_sha256 = Uint8Array.of(1);
      const parameters = {
        "trainer.parameters": Float32Array.of(1),
        "trainer.clientState": Float32Array.of(1),
      };
      writeFileSync(path("state.npz"), writeNpz({ ...parameters, journal_sha256 }));
    });
    expect(said).toEqual([
      expect.stringMatching(/restarts from round 0: .*state.npz is of an earlier layout$/),
    ]);
  });

  it("says nothing where it goes on from its state", async () => {
    expect(await saidAfter(() => {})).toEqual([]);
  });

  it("that is finished is refused, not made again, where its record was changed", async () => {
    const study = fresh();
    await execute(study);
    const path = join(folderOf(study), "run.json");
    const good = readFileSync(path, "utf8");
    for (const bad of [good.replace('"d_sol":', '"d_sol":1'), good.slice(0, -9)]) {
      writeFileSync(path, bad);
      await expect(execute(study)).rejects.toThrow(
        /run\.json .*: restore a copy, or delete the run's folder/,
      );
      expect(readFileSync(path, "utf8")).toBe(bad);
    }
  });

  it("begins anew on another device, and says on which it was", async () => {
    const study = fresh();
    await expect(execute(study, { saveEvery: 0, ...diesAfter(7) })).rejects.toThrow("power");
    const { backend, close } = await openBackend(run.options, "cpu");
    const other = { backend, hardware: { backend: "cuda", gpu: "A GPU" }, close };
    const rounds: number[] = [];
    await execute(study, { backend: other, onRound: (_, round) => rounds.push(round) });
    expect(rounds[0]).toBe(1);
    const { record } = await readFinishedRun(folderOf(study));
    expect(record.hardware).toMatchObject({ backend: "cuda", gpu: "A GPU" });
    expect(record.id).toBe(run.id);
  });

  it("saves its state when it is told to stop", async () => {
    const study = fresh();
    const stop = new AbortController();
    const onRound = (_: PlannedRun, round: number) => void (round === 6 && stop.abort(new Stopped()));
    await expect(execute(study, { signal: stop.signal, onRound })).rejects.toThrow(Stopped);
    const rounds: number[] = [];
    await execute(study, { onRound: (_, round) => rounds.push(round) });
    expect(rounds[0]).toBe(7);
    await goesOnToTheSameBits(study);
  });

  it("is not redone when it is finished", async () => {
    const study = fresh();
    await execute(study);
    const before = readFileSync(join(folderOf(study), "run.json"), "utf8");
    const never = () => Promise.reject(new Error("asked for data"));
    await executeRun(study, run, never);
    expect(readFileSync(join(folderOf(study), "run.json"), "utf8")).toBe(before);
  });

  it("is refused when it diverges, with the round", async () => {
    const opened = await openBackend(run.options, "cpu");
    let round = 0;
    const compile: Backend["compile"] = async (program, options) => {
      const executable = await opened.backend.compile(program, options);
      return {
        run: async (...given) => {
          const outputs = await executable.run(...given);
          if ("dispersion" in outputs && ++round === 5) outputs.dispersion[0] = NaN;
          return outputs;
        },
        read: (name) => executable.read(name),
        write: (name, values) => executable.write(name, values),
        close: () => executable.close(),
      };
    };
    const backend = { ...opened, backend: { name: "diverging", compile } };
    await expect(execute(fresh(), { backend })).rejects.toThrow(/diverged before round 5/);
  });
});
