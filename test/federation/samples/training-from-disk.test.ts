import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onnxBackend } from "../../../src/engine/onnx/onnx-backend.js";
import { federate } from "../../../src/federation/federation.js";
import { dataRemarks, prepareData } from "../../../src/federation/prepared-data.js";
import { type GivenRunOptions, type RunOptions, runOptions } from "../../../src/federation/run-options.js";
import { isStored } from "../../../src/federation/samples/stored-samples.js";
import { type TrainerState, train } from "../../../src/federation/trainer.js";
import { describeTrainingFile } from "../../../src/federation/training-file.js";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";
import { readRunRecord, runFolder } from "../../../src/records/run-folder.js";
import { executeRun } from "../../../src/studies/execution/execute-runs.js";
import { memoryShare } from "../../../src/studies/execution/runner.js";

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** GB that no data fit into. */
const NOTHING = 1e-9;
const [TRAIN, TEST] = [50, 7];

/** A file of random data; responses are between -1 and 1. */
async function fileOf(
  name: string,
  inputs: readonly number[],
  responses: readonly number[],
  precision: "float32" | "float64",
): Promise<string> {
  const random = stream(1, name);
  const floats = (precision === "float32" ? Float32Array : Float64Array) as Float64ArrayConstructor;
  const stack = (samples: number, shape: readonly number[], change: (x: number) => number) => {
    const length = shape.reduce((product, axis) => product * axis, samples);
    return { shape: [samples, ...shape], values: floats.from({ length }, () => change(normal(random))) };
  };
  const path = join(folder, `${name}.h5`);
  const half = (split: string, samples: number) => ({
    [`/${split}/inputs`]: stack(samples, inputs, (x) => 3 + 2 * x),
    [`/${split}/responses`]: stack(samples, responses, (x) => Math.tanh(x - 0.2)),
  });
  await writeHdf5(path, { attributes: {}, datasets: { ...half("train", TRAIN), ...half("test", TEST) } });
  return path;
}

const CASES = {
  deeponet: { inputs: [9], responses: [2, 11], precision: "float64", model: { name: "deeponet", width: 8 } },
  // Activations of three clients are more than one program takes at once.
  fno: {
    inputs: [2, 16, 16],
    responses: [16, 16],
    precision: "float32",
    model: { name: "fno", width: 8, modes: 2, layers: 1, projection: 72 },
  },
  "inversion-net": {
    inputs: [2, 40, 12],
    responses: [12, 12],
    precision: "float32",
    model: { name: "inversion-net", width: 1 },
  },
} as const;

type Case = keyof typeof CASES;

const files = new Map<Case, string>();
beforeAll(async () => {
  for (const name of Object.keys(CASES) as Case[]) {
    const { inputs, responses, precision } = CASES[name];
    files.set(name, await fileOf(name, inputs, responses, precision));
  }
});

async function optionsOf(name: Case, given: Partial<GivenRunOptions> = {}): Promise<RunOptions> {
  const data = await describeTrainingFile(files.get(name)!, {});
  return runOptions({
    task: data.task,
    data,
    alpha: 0.5,
    seed: 3,
    clients: 3,
    bins: 4,
    minSize: 4,
    rounds: 3,
    localSteps: 2,
    batch: 5,
    checkpoints: [0, 2, 3],
    model: CASES[name].model,
    ...given,
  });
}

/** Everything that a run measures, with its parameters, and its state after two rounds. */
async function measured(options: RunOptions, memory?: number, resume?: TrainerState) {
  const data = await prepareData(options, { memory });
  try {
    expect(isStored(data.train)).toBe(memory !== undefined);
    let middle: TrainerState | undefined;
    const { parameters, checkpoints } = await train(await federate(data, options), options, {
      backend: onnxBackend,
      resume,
      saveState: async (state) => {
        const found = state();
        if (found.round === 2) middle = found;
      },
    });
    return { parameters, checkpoints, middle };
  } finally {
    await data.close();
  }
}

describe("training from disk", () => {
  it.each([
    ["deeponet", "standard"],
    ["deeponet", "channels"],
    ["deeponet", "none"],
    ["fno", "standard"],
    ["fno", "channels"],
    ["inversion-net", "none"],
  ] as const)(
    "has the bits of training in memory, resumed or not: %s, normalise %s",
    async (name, normalise) => {
      const options = await optionsOf(name, { normalise });
      const inMemory = await measured(options);
      const fromDisk = await measured(options, NOTHING);
      expect(fromDisk.checkpoints).toEqual(inMemory.checkpoints);
      expect(fromDisk.parameters).toEqual(inMemory.parameters);
      expect(fromDisk.middle).toEqual(inMemory.middle);
      expect(inMemory.checkpoints.map(({ round }) => round)).toEqual([0, 2, 3]);
      const resumed = await measured(options, NOTHING, inMemory.middle);
      expect(resumed.checkpoints).toEqual(inMemory.checkpoints.slice(2));
      expect(resumed.parameters).toEqual(inMemory.parameters);
    },
  );

  it("is chosen where float32 samples take more than half of the memory, and says so", async () => {
    const options = await optionsOf("deeponet");
    const bytes = 4 * (TRAIN + TEST) * (9 + 22);
    const notices: string[] = [];
    const isOnDisk = async (memory: number) => {
      const data = await prepareData(options, { memory, onNotice: (message) => notices.push(message) });
      await data.close();
      return isStored(data.train);
    };
    expect(await isOnDisk((2 * bytes) / 1e9)).toBe(false);
    expect(notices).toEqual([]);
    expect(await isOnDisk((1.99 * bytes) / 1e9)).toBe(true);
    expect(notices).toEqual([
      "samples are read from disk during training: they take 0.0000071 GB in float32, " +
        "more than half of the 0.000014 GB for data (--memory)",
    ]);
    expect((await dataRemarks(options, { memory: NOTHING })).warnings).toEqual([
      expect.stringMatching("^samples are read from disk"),
    ]);
    expect(await dataRemarks(options)).toEqual({ warnings: [] });
  });

  it("refuses responses that a model cannot predict, as training in memory does", async () => {
    const options = await optionsOf("inversion-net", { normalise: "standard" });
    const refusal = await prepareData(options).catch(String);
    expect(refusal).toMatch("InversionNet predicts values from -1 to 1");
    await expect(prepareData(options, { memory: NOTHING }).catch(String)).resolves.toBe(refusal);
  });

  it("leaves the record that training in memory leaves", async () => {
    const options = await optionsOf("deeponet", { checkpoints: [], rounds: 1 });
    const recorded = async (name: string, memory?: number) => {
      const data = await prepareData(options, { memory });
      const study = join(folder, name);
      await executeRun(study, { id: "run", options, reference: "run" }, async () => data);
      await data.close();
      const { data: described, result, architecture } = (await readRunRecord(runFolder(study, "run")))!;
      return { sha256: described.sha256, parameters: result?.parameters_sha256, architecture };
    };
    const inMemory = await recorded("in-memory");
    expect(inMemory.parameters).toMatch(/^[0-9a-f]{64}$/);
    expect(await recorded("from-disk", NOTHING)).toEqual(inMemory);
  });

  it("gives runs side by side equal shares of the memory, but not too little", () => {
    expect(memoryShare(4, 2)).toBe(2);
    expect(memoryShare(4, 64)).toBe(0.25);
    expect(memoryShare(undefined, 2)).toBeUndefined();
  });

  it("is not for generated data, which are in memory already", async () => {
    const options = runOptions({ task: "antiderivative", alpha: 1, train: 40, test: 4, clients: 2, bins: 2 });
    expect(isStored((await prepareData(options, { memory: NOTHING })).train)).toBe(false);
  });
});
