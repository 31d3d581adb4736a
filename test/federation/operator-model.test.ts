import { describe, expect, it } from "vitest";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { operatorModel } from "../../src/federation/operator-model.js";
import { UNSCALED } from "../../src/federation/scaling.js";
import { trainableDeepOnet } from "../../src/models/deeponet.js";
import { deepOnetLayout, predictDeepOnet } from "../../src/models/deeponet-network.js";
import { glorotNormal } from "../../src/models/initialisers.js";
import { weightsOf } from "../../src/models/parameter-layout.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const sizes = { sensors: 7, coordinates: 2, width: 5, depth: 3 };
const random = stream(1, "operator");
const points = Float32Array.from({ length: 2 * 11 }, () => random.uniform());
const parameters = glorotNormal(deepOnetLayout(sizes), random).map((value) => value + 0.1 * normal(random));

async function expected(inputs: Float32Array): Promise<Float64Array> {
  const program = new Program();
  const samples = inputs.length / sizes.sensors;
  program.output(
    "u",
    predictDeepOnet(
      weightsOf(program.constant(parameters, [parameters.length]), deepOnetLayout(sizes)),
      program.constant(inputs, [samples, sizes.sensors]),
      program.constant(points, [11, 2]),
      sizes,
    ),
  );
  const executable = await referenceBackend.compile(program);
  return (await executable.run({})).u as Float64Array;
}

const problem = { operator: trainableDeepOnet(sizes, points), scaling: UNSCALED, inputShape: [7] };

describe("the exported operator", () => {
  it("predicts in ONNX Runtime what the model predicts, for any number of samples", async () => {
    const { InferenceSession, OrtTensor: Tensor } = await import("../../src/engine/onnx/onnx-runtime.js");
    const session = await InferenceSession.create(operatorModel(problem, parameters));
    for (const samples of [1, 4]) {
      const inputs = Float32Array.from({ length: samples * sizes.sensors }, () => normal(random));
      const feed = new Tensor("float32", inputs, [samples, sizes.sensors]);
      const { responses } = await session.run({ inputs: feed });
      expect(responses.dims).toEqual([samples, 11]);
      const reference = await expected(inputs);
      (responses.data as Float32Array).forEach((value, i) => {
        expect(value).toBeCloseTo(reference[i], 5);
      });
    }
    await session.release();
  });

  it("takes and gives numbers in the units of the data", async () => {
    const { InferenceSession, OrtTensor: Tensor } = await import("../../src/engine/onnx/onnx-runtime.js");
    const scaling = { inputs: [{ offset: 2, scale: 4 }], responses: [{ offset: -1, scale: 10 }] };
    const session = await InferenceSession.create(operatorModel({ ...problem, scaling }, parameters));
    const inputs = Float32Array.from({ length: sizes.sensors }, () => normal(random));
    const feed = new Tensor(
      "float32",
      inputs.map((z) => 4 * z + 2),
      [1, 7],
    );
    const { responses } = await session.run({ inputs: feed });
    const reference = await expected(inputs);
    (responses.data as Float32Array).forEach((value, i) => {
      expect(value).toBeCloseTo(10 * reference[i] - 1, 4);
    });
    await session.release();
  });

  it("has scales of its own for each channel", async () => {
    const { InferenceSession, OrtTensor: Tensor } = await import("../../src/engine/onnx/onnx-runtime.js");
    // Sensors, and points, are as many channels of one number each.
    const scales = (count: number, sign: number) =>
      Array.from({ length: count }, (_, i) => ({ offset: sign * i, scale: 2 + i }));
    const inputs = Float32Array.from({ length: sizes.sensors }, () => normal(random));
    const reference = await expected(inputs);
    const scaling = { inputs: scales(sizes.sensors, 1), responses: scales(reference.length, -1) };
    const session = await InferenceSession.create(operatorModel({ ...problem, scaling }, parameters));
    const feed = new Tensor(
      "float32",
      inputs.map((z, i) => (2 + i) * z + i),
      [1, 7],
    );
    const { responses } = await session.run({ inputs: feed });
    (responses.data as Float32Array).forEach((value, i) => {
      expect(value).toBeCloseTo((2 + i) * reference[i] - i, 4);
    });
    await session.release();
  });
});
