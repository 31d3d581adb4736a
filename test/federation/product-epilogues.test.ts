import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { planOf } from "../../src/engine/cuda/compile-plan.js";
import { isOwn, type Plan } from "../../src/engine/cuda/plan/plan.js";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { heldInputs, hold } from "../../src/federation/held-inputs.js";
import { roundProgram } from "../../src/federation/rounds/round-program.js";
import { runOptions } from "../../src/federation/run-options.js";
import { trainableDeepOnet } from "../../src/models/deeponet.js";
import { joined, parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import type { TrainableModel } from "../../src/models/trainable-model.js";
import { elements } from "../../src/numerics/shape.js";
import { stream } from "../../src/random/stream.js";
import { interpretingBackend } from "../engine/cuda/plan/interpret.js";
import { draw, error } from "../engine/evaluation.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { plainFederation } from "./plain-federation.js";
import { replicaOf, roundsOf } from "./replica-of.js";
import { smallProblem } from "./small-problem.js";

const ours = { hasKernel: () => true };
const backend = interpretingBackend(ours);

const FNO = { inputShape: [2, 8, 6], responseShape: [8, 6] };
const NET = { inputShape: [2, 125, 70], responseShape: [70, 70] };
const LINE = { inputShape: [2, 24], responseShape: [24], axes: 1 };
const SPACE = { inputShape: [6, 5, 8], responseShape: [6, 5, 8], axes: 3 };
const CHANNELS = { inputShape: [9], inputAxes: 1, responseShape: [2, 8, 7] };
const MAP = { inputShape: [1, 40, 16], responseShape: [32, 48] };
const POINTS = Float32Array.from(draw([40 * 2], "points"));
const MODELS: readonly (readonly [string, TrainableModel, number, number])[] = [
  ["a DeepONet", trainableDeepOnet({ sensors: 9, coordinates: 2, width: 8, depth: 3 }, POINTS), 9, 40],
  ["FNO2D", buildOnGrid("fno", FNO, { width: 6, modes: 2, layers: 3, projection: 7 }), 96, 48],
  ["FNO1D", buildOnGrid("fno", LINE, { width: 6, modes: 4, layers: 3, projection: 7 }), 48, 24],
  ["FNO3D", buildOnGrid("fno", SPACE, { width: 6, modes: 2, layers: 3, projection: 7 }), 240, 240],
  ["a DeepONet with two channels", buildOnGrid("deeponet", CHANNELS, { width: 8 }), 9, 112],
  [
    "InversionNet to 32 x 48",
    buildOnGrid("inversion-net", MAP, { width: 1, normalisation: "none" }),
    640,
    32 * 48,
  ],
  [
    "InversionNet",
    buildOnGrid("inversion-net", NET, { width: 1, normalisation: "none" }),
    elements(NET.inputShape),
    4900,
  ],
];

describe("with what follows products computed within them,", () => {
  it.each(MODELS)("the gradient of %s is the reference's", async (_, operator, inputSize, responseSize) => {
    const random = (name: string, size: number) => Float32Array.from(draw([size], name));
    const train = {
      samples: 2,
      inputs: random("inputs", 2 * inputSize),
      responses: random("responses", 2 * responseSize),
    };
    const training = operator.training(train, { largeKernels: true });
    const program = new Program();
    const gradients = training.gradients(
      weightsOf(program.input("parameters", [parameterCount(operator.layout)]), training.blocks),
      heldInputs(program, training),
      program.constantInts([1]),
      program.constant([1]),
    );
    program.output("gradient", joined(training.blocks.map(({ name }) => gradients[name])));
    expect(fusedOf(planOf(program, ours)).length).toBeGreaterThan(0);
    const parameters = operator.initial(stream(2, "model"));
    const run = async (on: Backend) => {
      const executable = await on.compile(program);
      hold(executable, training);
      return (await executable.run({ parameters })).gradient;
    };
    expect(error(await run(backend), await run(referenceBackend))).toBeLessThan(1e-10);
  });

  it("rounds of a DeepONet are federated averaging by loops", async () => {
    const problem = smallProblem([3, 20, 40], {
      sizes: { sensors: 5, coordinates: 2, width: 6, depth: 3 },
    });
    const options = runOptions({
      ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 2, localSteps: 2, batch: 17 },
      ...{ optimizer: { name: "adam", rate: 1e-2 }, backend: "reference" },
    });
    const replica = replicaOf(problem, options);
    const expected = plainFederation(problem, options, replica.start.server.parameters);
    const rounds = await roundsOf(replica, backend);
    await rounds.next(false);
    expect((await rounds.next(true))[0] / expected.dispersion).toBeCloseTo(1, 4);
    expect(error(rounds.parameters()[0], expected.parameters)).toBeLessThan(1e-6);
    await rounds.close();
  });
});

describe("the plan of a DeepONet's round", () => {
  const [clients, batch, width, points, localSteps] = [3, 8, 16, 1100, 2];
  const filled = 1152;
  const problem = smallProblem([20, 30, 40], {
    points,
    sizes: { sensors: 20, coordinates: 2, width, depth: 3 },
  });
  const options = runOptions({ task: "burgers", alpha: 1, seed: 1 });
  const training = problem.operator.training(problem.train, { largeKernels: true });
  const gpu = { prefersLargeKernels: true };
  const program = roundProgram(
    training,
    options,
    { replicas: 1, clients, steps: localSteps, rows: batch },
    gpu,
  );
  const sizes = (chosen: Plan) =>
    chosen.steps.flatMap((step) =>
      step.kind === "launch" ? step.jobs.flatMap((job) => (job.kind === "map" ? [job.size] : [])) : [],
    );

  it("has no elementwise pass between the layers of trunk and branch, but the first one over coordinates", () => {
    const plan = planOf(program, ours);
    const firstLayer = clients * filled * width;
    const least = clients * filled * batch;
    // In the first step the clients still share the first layer.
    expect(sizes(plan).filter((size) => size >= least)).toEqual(new Array(localSteps - 1).fill(firstLayer));
    expect(sizes(planOf(program, { hasKernel: () => false })).length).toBeGreaterThan(
      sizes(plan).length + 10,
    );
  });

  it("stores no product bare that an activation or a mask follows", () => {
    const stores = planOf(program, ours)
      .steps.filter(isOwn)
      .map(({ epilogue }) => epilogue.map(({ value }) => value.kind));
    expect(stores.filter((kinds) => kinds.length > 1 && kinds.includes("product"))).toEqual([]);
  });
});

/** Products whose elements are changed before they are stored. */
function fusedOf({ steps }: Plan) {
  return steps.filter(isOwn).filter(({ epilogue }) => epilogue.some(({ value }) => value.kind !== "product"));
}
