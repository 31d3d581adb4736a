import { beforeAll, describe, expect, it } from "vitest";
import { backendOf } from "../../src/federation/backends.js";
import type { Federation } from "../../src/federation/federation.js";
import { openObservables } from "../../src/federation/observables/observables.js";
import { operatorModel } from "../../src/federation/operator-model.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { initialState, type TrainerState, train } from "../../src/federation/trainer.js";
import { elements } from "../../src/numerics/shape.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { fieldProblem } from "./field-problem.js";

const FNO_SHAPES = { inputShape: [2, 9, 8], responseShape: [9, 8] };
const LINE = { inputShape: [2, 20], responseShape: [20], axes: 1 };
const SPACE = { inputShape: [6, 5, 8], responseShape: [2, 6, 5, 8], axes: 3 };
const CHANNELS = { inputShape: [10], inputAxes: 1, responseShape: [2, 12, 10] };
const MAP = { inputShape: [2, 100, 24], responseShape: [32, 48] };
const SMALL_FNO = { width: 4, modes: 2, layers: 2, projection: 8 };
const NET_SHAPES = { inputShape: [5, 125, 70], responseShape: [70, 70] };
const OPERATORS: readonly (readonly [string, Federation])[] = [
  [
    "FNO2D",
    fieldProblem(
      buildOnGrid("fno", FNO_SHAPES, { width: 4, modes: 3, layers: 2, projection: 8 }),
      FNO_SHAPES,
    ),
  ],
  ["InversionNet", fieldProblem(buildOnGrid("inversion-net", NET_SHAPES), NET_SHAPES)],
  ["FNO on a line", fieldProblem(buildOnGrid("fno", LINE, SMALL_FNO), LINE)],
  ["FNO in space", fieldProblem(buildOnGrid("fno", SPACE, SMALL_FNO), SPACE)],
  ["DeepONet with two channels", fieldProblem(buildOnGrid("deeponet", CHANNELS, { width: 40 }), CHANNELS)],
  ["InversionNet to 32 x 48", fieldProblem(buildOnGrid("inversion-net", MAP, { width: 4 }), MAP)],
];

const options = runOptions({
  task: "darcy",
  alpha: 1,
  seed: 1,
  rounds: 4,
  localSteps: 2,
  batch: 4,
  optimizer: { name: "adam", rate: 0.01 },
});

describe.each(OPERATORS)("%s in a federation", (_, problem) => {
  let whole: Awaited<ReturnType<typeof train>>;
  const states: TrainerState[] = [];
  beforeAll(async () => {
    whole = await train(problem, options, { saveState: async (state) => void states.push(state()) });
  });

  it("learns", () => {
    const losses = whole.checkpoints.map(({ trainLoss }) => trainLoss);
    expect(losses.at(-1)).toBeLessThan(0.9 * losses[0]);
  });

  it("resumes to the same bits", async () => {
    const resumed = await train(problem, options, { resume: structuredClone(states[1]) });
    expect(resumed.parameters).toEqual(whole.parameters);
  });

  it("has a gradient dissimilarity between 0 and 1", () => {
    const [{ gradientDissimilarity }] = whole.checkpoints;
    expect(gradientDissimilarity).toBeGreaterThan(0);
    expect(gradientDissimilarity).toBeLessThan(1);
  });

  it("is exported to a file that predicts one sample as the model does", async () => {
    const { InferenceSession, OrtTensor: Tensor } = await import("../../src/engine/onnx/onnx-runtime.js");
    const session = await InferenceSession.create(operatorModel(problem, whole.parameters));
    const size = elements(problem.inputShape);
    let square = 0;
    let norm = 0;
    for (let i = 0; i < problem.test.samples; i++) {
      const inputs = new Tensor("float32", problem.test.inputs.slice(i * size, (i + 1) * size), [1, size]);
      const predicted = (await session.run({ inputs })).responses.data as Float32Array;
      predicted.forEach((value, point) => {
        const truth = problem.test.responses[i * predicted.length + point];
        square += (value - truth) ** 2;
        norm += truth ** 2;
      });
    }
    expect(Math.sqrt(square / norm)).toBeCloseTo(whole.checkpoints.at(-1)!.testError, 5);
    await session.release();
  });
});

describe.each(OPERATORS.filter(([name]) => !name.startsWith("InversionNet")))(
  "%s by two backends",
  (_, problem) => {
    it("measures the same loss, error and gradient dissimilarity", async () => {
      const { parameters } = initialState(problem, options).server;
      const measured = await Promise.all(
        (["reference", "onnx"] as const).map(async (name) => {
          const backend = await backendOf(name);
          const observables = await openObservables([problem], replicaData([problem], backend), backend);
          const values = [
            await observables.testErrors([parameters]),
            await observables.trainLosses([parameters]),
            await observables.gradientDissimilarities([parameters]),
          ];
          await observables.close();
          return values.flat();
        }),
      );
      measured[0].forEach((value, i) => {
        expect(measured[1][i] / value).toBeCloseTo(1, 4);
      });
    });
  },
);
