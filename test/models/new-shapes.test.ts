import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { multiply, reshape, subtract, sum } from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { heldInputs, hold } from "../../src/federation/held-inputs.js";
import { operatorModel } from "../../src/federation/operator-model.js";
import { UNSCALED } from "../../src/federation/scaling.js";
import { type DataShapes, fieldSize } from "../../src/models/model.js";
import { buildModel } from "../../src/models/models.js";
import { joined, parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import type { TrainableModel, TrainingSamples } from "../../src/models/trainable-model.js";
import type { GivenValues } from "../../src/options/option.js";
import { stream } from "../../src/random/stream.js";
import { draw, error } from "../engine/evaluation.js";

const shapes = (
  [channels, ...grid]: readonly number[],
  [outputs, ...wanted]: readonly number[],
): DataShapes => ({
  inputs: { channels, grid },
  responses: { channels: outputs, grid: wanted },
});

const FNO = { width: 4, layers: 2, projection: 6 };
const POINTS = { values: Float32Array.from(draw([27], "points")), dimensions: 3 };

/** Small models of shapes that the paper's tasks do not have; activations are smooth, as differences want them. */
const CASES: readonly (readonly [string, string, DataShapes, GivenValues])[] = [
  ["FNO on a line", "fno", shapes([2, 12], [3, 12]), FNO],
  ["FNO on a padded line", "fno", shapes([1, 11], [1, 11]), { ...FNO, padding: 3, coordinates: "none" }],
  ["FNO in space", "fno", shapes([2, 4, 5, 6], [1, 4, 5, 6]), FNO],
  ["FNO in padded space", "fno", shapes([1, 3, 4, 4], [2, 3, 4, 4]), { ...FNO, modes: 1, padding: 1 }],
  [
    "FNO on a plane without coordinates",
    "fno",
    shapes([1, 6, 5], [1, 6, 5]),
    { ...FNO, coordinates: "none" },
  ],
  [
    "DeepONet with two channels",
    "deeponet",
    shapes([2, 4, 3], [2, 8, 5]),
    { width: 6, depth: 3, activation: "tanh" },
  ],
  [
    "DeepONet at points in space",
    "deeponet",
    { ...shapes([1, 7], [3, 9]), points: POINTS },
    { width: 6, depth: 2, activation: "gelu", latent: 4, trunk_output: "none" },
  ],
  ["DeepONet on a grid in space", "deeponet", shapes([1, 7], [1, 3, 4, 5]), { width: 6, activation: "tanh" }],
  [
    "DeepONet on many points with two channels",
    "deeponet",
    shapes([1, 7], [2, 1100]),
    { width: 40, depth: 2, activation: "tanh" },
  ],
  [
    "InversionNet of two channels",
    "inversion-net",
    shapes([2, 24, 10], [2, 10, 13]),
    { width: 1, activation: "tanh" },
  ],
];

const SAMPLES = 5;
const CHOSEN = Int32Array.of(3, 0, 4);
const SHARES = Float64Array.of(0.5, 0.5, 0);

function samplesFor(data: DataShapes): TrainingSamples {
  const numbers = (name: string, size: number) =>
    Float32Array.from(draw([SAMPLES * size], name, [-0.9, 0.9]));
  return {
    samples: SAMPLES,
    inputs: numbers("inputs", fieldSize(data.inputs)),
    responses: numbers("responses", fieldSize(data.responses)),
  };
}

/** The gradient by which a model is trained. */
async function trainedGradient(
  model: TrainableModel,
  samples: TrainingSamples,
  parameters: Float64Array,
  { backend, wide }: { readonly backend: Backend; readonly wide: boolean },
): Promise<Float64Array> {
  const training = model.training(samples, { largeKernels: wide });
  const program = new Program();
  const gradients = training.gradients(
    weightsOf(program.input("parameters", [parameters.length]), training.blocks),
    heldInputs(program, training),
    program.input("indices", [CHOSEN.length], "int"),
    program.input("weights", [CHOSEN.length]),
  );
  program.output("gradient", joined(training.blocks.map(({ name }): Tensor => gradients[name])));
  const executable = await backend.compile(program);
  hold(executable, training);
  const { gradient } = await executable.run({ parameters, indices: CHOSEN, weights: SHARES });
  await executable.close();
  return Float64Array.from(gradient);
}

/** Losses of several parameter vectors, straight from predictions. */
async function losses(
  model: TrainableModel,
  { inputs, responses }: TrainingSamples,
  points: readonly Float64Array[],
): Promise<number[]> {
  const program = new Program();
  const [size, numbers] = [inputs.length / SAMPLES, responses.length / SAMPLES];
  const pick = (values: Float32Array, length: number) =>
    Float64Array.from(
      { length: 2 * length },
      (_, i) => values[CHOSEN[Math.floor(i / length)] * length + (i % length)],
    );
  const weights = weightsOf(program.input("parameters", [points[0].length]), model.layout);
  const prediction = model.predict(weights, program.constant(pick(inputs, size), [2, size]));
  const residuals = subtract(prediction, program.constant(pick(responses, numbers), [2, numbers]));
  program.output("loss", reshape(sum(multiply(residuals, residuals)), [1]));
  const executable = await referenceBackend.compile(program);
  const found: number[] = [];
  for (const parameters of points) found.push((await executable.run({ parameters })).loss[0] / (2 * numbers));
  await executable.close();
  return found;
}

describe.each(CASES)("%s", (_, name, data, options) => {
  const model = buildModel(name, data, options);
  const samples = samplesFor(data);
  const count = parameterCount(model.layout);
  // No weight is zero, so that a forgotten one would show.
  const noise = draw([count], "noise", [-0.2, 0.2]);
  const parameters = Float64Array.from(model.initial(stream(1, "model")), (value, i) => value + noise[i]);

  it("has the gradient that differences of its loss give", async () => {
    const gradient = await trainedGradient(model, samples, parameters, {
      backend: referenceBackend,
      wide: false,
    });
    const step = 1e-5;
    for (const direction of ["first", "second", "third"].map((word) => draw([count], word))) {
      const moved = [step, -step].map((by) => parameters.map((value, i) => value + by * direction[i]));
      const [ahead, behind] = await losses(model, samples, moved);
      const slope = gradient.reduce((total, value, i) => total + value * direction[i], 0);
      expect(slope / ((ahead - behind) / (2 * step))).toBeCloseTo(1, 5);
    }
  });

  it("has the same gradient in one piece, and by ONNX Runtime", async () => {
    const expected = await trainedGradient(model, samples, parameters, {
      backend: referenceBackend,
      wide: false,
    });
    const norm = Math.hypot(...expected);
    for (const [backend, wide, limit] of [
      [referenceBackend, true, 1e-11],
      [onnxBackend, false, 2e-5],
      [onnxBackend, true, 2e-5],
    ] as const) {
      const found = await trainedGradient(model, samples, parameters, { backend, wide });
      expect(Math.hypot(...found.map((value, i) => value - expected[i])) / norm).toBeLessThan(limit);
    }
  });

  it("predicts by an exported file what it predicts by the reference, in units of the data", async () => {
    const { InferenceSession, OrtTensor } = await import("../../src/engine/onnx/onnx-runtime.js");
    const size = fieldSize(data.inputs);
    const scaling = { ...UNSCALED, inputs: [{ offset: 1, scale: 2 }], responses: [{ offset: -1, scale: 3 }] };
    const given = samples.inputs.slice(0, size);
    const program = new Program();
    const weights = weightsOf(program.constant(parameters), model.layout);
    const prediction = model.predict(weights, program.constant(given, [1, size]));
    program.output("prediction", prediction);
    const executable = await referenceBackend.compile(program);
    const { prediction: expected } = await executable.run({});
    await executable.close();
    const exported = { operator: model, scaling, inputShape: [data.inputs.channels, ...data.inputs.grid] };
    const session = await InferenceSession.create(operatorModel(exported, Float32Array.from(parameters)));
    const inputs = new OrtTensor(
      "float32",
      given.map((value) => 2 * value + 1),
      [1, size],
    );
    const { responses } = await session.run({ inputs });
    await session.release();
    expect(responses.dims).toEqual([1, fieldSize(data.responses)]);
    const scaled = Array.from(expected, (value) => 3 * value - 1);
    expect(error(responses.data as Float32Array, scaled)).toBeLessThan(1e-5);
  });
});
