import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { Program } from "../../src/engine/program.js";
import { type DataShapes, fieldSize } from "../../src/models/model.js";
import { buildModel } from "../../src/models/models.js";
import { outputPoints } from "../../src/models/output-points.js";
import { parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import type { GivenValues } from "../../src/options/option.js";
import { stream } from "../../src/random/stream.js";
import { writeParameters } from "../../src/records/stored-parameters.js";
import { draw, error } from "../engine/evaluation.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasTorch = spawnSync(PYTHON, ["-c", "import torch, safetensors"]).status === 0;
const EXAMPLES = join(import.meta.dirname, "../../examples/pytorch");
const SAMPLES = 2;

const shapes = (
  [channels, ...grid]: readonly number[],
  [outputs, ...wanted]: readonly number[],
): DataShapes => ({
  inputs: { channels, grid },
  responses: { channels: outputs, grid: wanted },
});

const FNO = { width: 4, layers: 2, projection: 6 };
const CASES: readonly (readonly [string, string, DataShapes, GivenValues])[] = [
  ["a DeepONet", "deeponet", shapes([1, 7], [1, 4, 5]), { width: 6, depth: 2 }],
  [
    "a DeepONet of two channels",
    "deeponet",
    shapes([2, 4, 3], [2, 8]),
    { width: 6, latent: 5, trunk_output: "none", initialiser: "pytorch" },
  ],
  ["FNO1D", "fno", shapes([2, 12], [1, 12]), { ...FNO, coordinates: "none" }],
  ["FNO2D", "fno", shapes([1, 8, 9], [1, 8, 9]), { ...FNO, padding: 2 }],
  ["FNO3D", "fno", shapes([1, 4, 5, 6], [2, 4, 5, 6]), { ...FNO, activation: "tanh" }],
  ["InversionNet", "inversion-net", shapes([2, 100, 20], [1, 70, 70]), { width: 2 }],
  [
    "InversionNet to another map",
    "inversion-net",
    shapes([1, 30, 140], [2, 32, 48]),
    { width: 2, normalisation: "none" },
  ],
];

/** One process for all cases, since it takes seconds to load PyTorch. */
const SCRIPT = `
import json, sys, torch
from operators import load_operator
for given in json.load(sys.stdin):
    points = torch.tensor(given["points"]).reshape(-1, given["dimensions"])
    inputs = torch.tensor(given["inputs"]).reshape(given["shape"])
    print(json.dumps(load_operator(given["file"], points)(inputs).flatten().tolist()))`;

const built = CASES.map(([, name, data, options]) => {
  const model = buildModel(name, data, options);
  const noise = draw([parameterCount(model.layout)], "noise", [-0.1, 0.1]);
  const parameters = model.initial(stream(1, "model")).map((value, i) => value + noise[i]);
  return { model, parameters, inputs: Float32Array.from(draw([SAMPLES * fieldSize(data.inputs)], "inputs")) };
});

describe.skipIf(!hasTorch)("the models as PyTorch modules", () => {
  const folder = mkdtempSync(join(tmpdir(), "pytorch-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let found: readonly string[];
  beforeAll(() => {
    const given = CASES.map(([, , data], i) => {
      const { model, parameters, inputs } = built[i];
      const scaling = { inputs: [{ offset: 0, scale: 1 }], responses: [{ offset: 0, scale: 1 }] };
      const architecture = { ...model.architecture, parameters: parameters.length, scaling };
      const file = join(folder, `${i}.safetensors`);
      const metadata = { architecture: JSON.stringify(architecture) };
      writeFileSync(file, writeParameters(model.layout, parameters, metadata));
      const { values, dimensions } = outputPoints(data);
      const shape = [SAMPLES, data.inputs.channels, ...data.inputs.grid];
      return { file, shape, inputs: [...inputs], points: [...values], dimensions };
    });
    const { stdout, stderr } = spawnSync(PYTHON, ["-c", SCRIPT], {
      ...{ encoding: "utf8", input: JSON.stringify(given), maxBuffer: 2 ** 26 },
      env: { ...process.env, PYTHONPATH: EXAMPLES },
    });
    expect(stderr).toBe("");
    found = stdout.trim().split("\n");
  }, 120_000);

  it.each(CASES.map(([title], i) => [title, i] as const))(
    "predict with the parameters of %s what it predicts",
    async (_, i) => {
      const { model, parameters, inputs } = built[i];
      const program = new Program();
      const rows = program.constant(inputs, [SAMPLES, inputs.length / SAMPLES]);
      program.output(
        "prediction",
        model.predict(weightsOf(program.constant(parameters), model.layout), rows),
      );
      const executable = await onnxBackend.compile(program);
      const { prediction } = await executable.run({});
      await executable.close();
      expect(error(JSON.parse(found[i]), prediction)).toBeLessThan(1e-5);
    },
  );
});
