import { expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { heldInputs, hold } from "../../src/federation/held-inputs.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../src/federation/rounds/client-by-client.js";
import { CLIENT_STATES, runOptions } from "../../src/federation/run-options.js";
import { type Checkpoint, train, trainReplicas } from "../../src/federation/trainer.js";
import { trainableDeepOnet } from "../../src/models/deeponet.js";
import { joined, parameterCount, weightsOf } from "../../src/models/parameter-layout.js";
import type { TrainableModel, Training } from "../../src/models/trainable-model.js";
import { elements } from "../../src/numerics/shape.js";
import { stream } from "../../src/random/stream.js";
import { LARGE, LARGEST } from "../engine/cuda/large-cases.js";
import { draw, error } from "../engine/evaluation.js";
import { OPERATION_CASES } from "../engine/operation-cases.js";
import { fieldProblem } from "../federation/field-problem.js";
import { replicaOf, roundsOf } from "../federation/replica-of.js";
import { smallProblem } from "../federation/small-problem.js";
import { buildOnGrid, type FieldShapes } from "../models/build-on-grid.js";

type Values = Record<string, Float64Array>;

/** Tests that a float32 backend computes each operation as the reference does, within the round-off of float32. */
export function operationsTest(backend: () => Backend): void {
  it("computes every operation and its gradient like the reference, whenever it is asked", async () => {
    const program = new Program();
    const values: Values = {};
    const titles = new Map<string, string>();
    OPERATION_CASES.forEach(({ title, shapes, apply, positive }, n) => {
      const inputs = shapes.map((shape, i) => {
        values[`x${n} ${i}`] = draw(shape, `operand ${i}`, positive ? [0.5, 2] : [-1, 1]);
        return program.input(`x${n} ${i}`, shape);
      });
      const y = apply(inputs);
      const seed = program.constant(draw(y.shape, "seed"), y.shape);
      [y, ...gradient(y, inputs, seed)].forEach((tensor, i) => {
        program.output(`y${n} ${i}`, tensor);
        titles.set(`y${n} ${i}`, i === 0 ? title : `gradient ${i} of ${title}`);
      });
    });
    const errors = await disagreements(backend(), program, values, 3);
    const wrong = [...errors].filter(([, e]) => !(e < 5e-6));
    expect(wrong.map(([name, e]) => `${titles.get(name)}: ${e}`)).toEqual([]);
  });
}

/**
 * Tests that it computes whatever is made of them as the reference does. Tests of fields that are `trained`, too, take
 * minutes without a GPU, and those of each of the `clientStates` some time.
 */
export function agreementTests(
  backend: () => Backend,
  { trained = FIELDS, clientStates = CLIENT_STATES } = {},
): void {
  operationsTest(backend);

  it.each([...LARGE, ...LARGEST])("computes %s, and gradients", async (_, shapes, build) => {
    const program = new Program();
    const values: Values = {};
    const xs = shapes.map((shape, i) => {
      values[`x${i}`] = draw(shape, `large ${i}`);
      return program.input(`x${i}`, shape);
    });
    const ys = build(xs);
    const total = ys.map((y) => ops.sum(ops.multiply(y, ops.tanh(y)))).reduce(ops.add);
    [...ys, ...gradient(total, xs)].forEach((tensor, i) => {
      program.output(`y${i}`, tensor);
    });
    for (const found of (await disagreements(backend(), program, values, 2)).values())
      expect(found).toBeLessThan(2e-5);
  });

  it("computes with millions of numbers that lie side by side, and adds them up along and across", async () => {
    const shape = [2, 1024, 1024];
    const program = new Program();
    const x = program.input("x", shape);
    const values = { x: draw(shape, "x"), bias: draw([1024], "bias"), rows: draw([2, 1024, 1], "rows") };
    const h = ops.add(x, program.input("bias", [1024]));
    const g = ops.multiply(program.input("rows", [2, 1024, 1]), ops.geluSlope(h));
    program.output("stored", g);
    program.output("across", ops.sum(g, [1]));
    program.output("along", ops.sum(ops.multiply(g, ops.gelu(h)), [2]));
    program.output("shorter", ops.sum(ops.multiply(ops.reshape(x, [2 ** 16, 32]), 2), [1]));
    program.output("few", ops.sum(ops.tanh(ops.reshape(x, [2, 2 ** 20])), [0]));
    program.output("turned", ops.transpose(h, [0, 2, 1]));
    program.output("padded", ops.pad(ops.relu(x), 1, 2, 2));
    program.output("shifted", ops.pad(ops.relu(x), 2, 1, 3));
    for (const [name, found] of await disagreements(backend(), program, values, 2))
      expect(`${name} ${found < 2e-5}`).toBe(`${name} true`);
  });

  it("adds up many short rows", async () => {
    const shape = [2 ** 16, 128];
    const program = new Program();
    const x = program.input("x", shape);
    const weights = program.input("weights", [128]);
    program.output("sums", ops.sum(ops.multiply(ops.gelu(x), weights), [1]));
    const values = { x: draw(shape, "x"), weights: draw([128], "weights") };
    expect((await disagreements(backend(), program, values, 1)).get("sums")).toBeLessThan(2e-5);
  });

  it("computes layers of few inputs at many points", async () => {
    const program = new Program();
    const points = program.input("points", [10240, 2]);
    const weights = program.input("weights", [2, 2, 101]);
    program.output("layers", ops.relu(ops.matmul(points, ops.slice(weights, 2, 1, 101))));
    const values = { points: draw([10240, 2], "points"), weights: draw([2, 2, 101], "weights") };
    expect((await disagreements(backend(), program, values, 1)).get("layers")).toBeLessThan(2e-6);
  });

  it("carries state from run to run, takes it over and gives it back", async () => {
    const program = new Program();
    const count = program.input("count", [3]);
    const other = program.input("other", [3]);
    const next = ops.add(count, program.input("by", []));
    program.output("next", next);
    program.output("swapped", count);
    program.output("total", ops.sum(next));
    program.carry("next", "other");
    program.carry("swapped", "count");
    const executable = await backend().compile(program);
    await expect(executable.run({ by: Float32Array.of(1) })).rejects.toThrow('input "count" has no value');
    executable.write("count", Float32Array.of(1, 2, 3));
    executable.write("other", Float32Array.of(0, 0, 0));
    for (const by of [1, 2, 3])
      expect((await executable.run({ by: Float32Array.of(by) })).total[0]).toBe(6 + 3 * by);
    expect([...executable.read("other")]).toEqual([4, 5, 6]);
    expect([...executable.read("count")]).toEqual([1, 2, 3]);
    expect(other.shape).toEqual([3]);
    await executable.close();
  });

  it.each(MODELS)("has the gradient of %s", async (_, operator, inputSize, responseSize) => {
    const random = (name: string, size: number) => Float32Array.from(draw([size], name));
    const train = {
      samples: 4,
      inputs: random("inputs", 4 * inputSize),
      responses: random("responses", 4 * responseSize),
    };
    const expected = await lossGradient(operator, operator.training(train), onnxBackend);
    const found = await lossGradient(operator, operator.training(train, { largeKernels: true }), backend());
    const size = norm(expected);
    const distance = norm(expected.map((value, i) => value - found[i]));
    expect(distance / size).toBeLessThan(2e-5);
  });

  it.each(clientStates)(
    "trains a DeepONet by rounds as one client after another does: %s",
    async (clientState) => {
      const problem = smallProblem([30, 20, 40], {
        points: 1100,
        sizes: { sensors: 20, coordinates: 2, width: 12, depth: 3 },
      });
      const options = runOptions({
        ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 3, localSteps: 3, batch: 17 },
        ...{ optimizer: { name: "adam", rate: 1e-3 }, clientState, backend: "onnx" },
      });
      const replica = replicaOf(problem, options);
      const trained = async () => {
        const rounds = await roundsOf(replica, backend());
        const dispersions: number[] = [];
        for (let round = 0; round < 3; round++) dispersions.push((await rounds.next(true))[0]);
        const [state] = rounds.states();
        await rounds.close();
        return { dispersions, state };
      };
      const one = await roundsClientByClient(replica, replicaData([problem], onnxBackend), onnxBackend);
      const { dispersions, state } = await trained();
      for (const dispersion of dispersions) expect(dispersion / (await one.next(true))[0]).toBeCloseTo(1, 3);
      const [expected] = one.states();
      await one.close();
      expect(error(state.server.parameters, expected.server.parameters)).toBeLessThan(2e-5);
      expect(Object.keys(state.clients)).toEqual(clientState === "reset" ? [] : ["first", "second"]);
      for (const [name, vector] of Object.entries(state.clients))
        expect(error(vector, expected.clients[name])).toBeLessThan(2e-4);
      expect((await trained()).state).toEqual(state); // the same bits again
    },
  );

  it.each(trained)("trains all clients of %s at once, and replicas", async (_, operator, shapes) => {
    const problems = [
      fieldProblem(operator, shapes, [3, 5, 2]),
      fieldProblem(operator, shapes, [4, 2, 2], 8),
    ];
    const replicas = problems.map((problem, seed) => {
      const options = runOptions({
        ...{ task: "darcy", alpha: 1, seed, rounds: 2, localSteps: 2, batch: 4, checkpoints: [0] },
        ...{ optimizer: { name: "sgd", rate: 1e-3, momentum: 0.9 } },
      });
      return replicaOf(problem, options);
    });
    const last = new Map<number, Checkpoint>();
    await trainReplicas(replicas, backend(), {
      onCheckpoint: (replica, checkpoint) => void last.set(replica, checkpoint),
    });
    for (const [replica, { problem, options }] of replicas.entries()) {
      const { checkpoints } = await train(problem, options, { backend: onnxBackend });
      const alone = await train(problem, options, { backend: backend() });
      for (const found of [alone.checkpoints.at(-1)!, last.get(replica)!]) {
        const expected = checkpoints.at(-1)!;
        expect(found.round).toBe(2);
        expect(error(found.parameters, expected.parameters)).toBeLessThan(2e-5);
        expect(found.testError / expected.testError).toBeCloseTo(1, 4);
        expect(found.trainLoss / expected.trainLoss).toBeCloseTo(1, 4);
        expect(found.localDispersion / expected.localDispersion).toBeCloseTo(1, 2);
      }
      const { gradientDissimilarity } = alone.checkpoints[0];
      expect(gradientDissimilarity! / checkpoints[0].gradientDissimilarity!).toBeCloseTo(1, 3);
    }
  });
}

const FNO = { inputShape: [2, 16, 12], responseShape: [16, 12] };
const GRID = { inputShape: [32, 32], responseShape: [32, 32] };
const NET = { inputShape: [5, 125, 70], responseShape: [70, 70] };
const LINE = { inputShape: [2, 64], responseShape: [64], axes: 1 };
const SPACE = { inputShape: [8, 8, 6], responseShape: [2, 8, 8, 6], axes: 3 };
const CHANNELS = { inputShape: [20], inputAxes: 1, responseShape: [2, 64, 64] };
const MAP = { inputShape: [3, 64, 24], responseShape: [32, 48] };
const fno1d = buildOnGrid("fno", LINE, { width: 12, modes: 6, layers: 3, projection: 24 });
const fno3d = buildOnGrid("fno", SPACE, { width: 8, modes: 3, layers: 3, projection: 16 });
const deeponet = buildOnGrid("deeponet", CHANNELS, { width: 24 });
// Smooth: a number within round-off of a kink would give another gradient on each backend.
const map = buildOnGrid("inversion-net", MAP, { width: 4, activation: "tanh" });
const fno2d = buildOnGrid("fno", FNO, { width: 12, modes: 4, layers: 3, projection: 24 });
const FIELDS: readonly (readonly [string, TrainableModel, FieldShapes])[] = [
  ["FNO2D", fno2d, FNO],
  ["InversionNet", buildOnGrid("inversion-net", NET, { width: 4 }), NET],
  ["FNO1D", fno1d, LINE],
  ["FNO3D", fno3d, SPACE],
  ["a DeepONet on 64 x 64 points with two channels", deeponet, CHANNELS],
  ["InversionNet to 32 x 48", map, MAP],
];
const POINTS = Float32Array.from(draw([1100 * 2], "points"));
const MODELS: readonly (readonly [string, TrainableModel, number, number])[] = [
  ["a DeepONet", trainableDeepOnet({ sensors: 20, coordinates: 2, width: 40, depth: 3 }, POINTS), 20, 1100],
  ["FNO2D", fno2d, 384, 192],
  [
    "FNO2D with as many channels as the paper's",
    buildOnGrid("fno", GRID, { modes: 4, layers: 2 }),
    1024,
    1024,
  ],
  ["InversionNet", buildOnGrid("inversion-net", NET), elements(NET.inputShape), 4900],
  ["FNO1D", fno1d, 128, 64],
  ["FNO3D", fno3d, 384, 768],
  ["a DeepONet on 64 x 64 points with two channels", deeponet, 20, 8192],
  ["InversionNet to 32 x 48", map, elements(MAP.inputShape), 32 * 48],
];

const norm = (values: readonly number[]): number => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));

/** The gradient of the loss on three samples, of which two count. */
async function lossGradient(
  operator: TrainableModel,
  training: Training,
  backend: Backend,
): Promise<number[]> {
  const program = new Program();
  const gradients = training.gradients(
    weightsOf(program.input("parameters", [parameterCount(operator.layout)]), training.blocks),
    heldInputs(program, training),
    program.input("indices", [3], "int"),
    program.input("weights", [3]),
  );
  program.output("gradient", joined(training.blocks.map(({ name }): Tensor => gradients[name])));
  const executable = await backend.compile(program);
  hold(executable, training);
  const given = {
    parameters: operator.initial(stream(2, "model")),
    indices: Int32Array.of(2, 0, 3),
    weights: Float32Array.of(0.5, 0.5, 0),
  };
  await executable.run(given);
  const { gradient: found } = await executable.run(given);
  await executable.close();
  return [...found];
}

/** Largest errors of each output over some runs, relative to the largest value or one. */
async function disagreements(
  backend: Backend,
  program: Program,
  values: Values,
  runs: number,
): Promise<Map<string, number>> {
  const expected = await (await referenceBackend.compile(program)).run(values);
  const executable = await backend.compile(program);
  const found = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    const outputs = await executable.run(values);
    for (const [name, y] of Object.entries(expected)) {
      const e = error(outputs[name], y);
      found.set(name, Number.isNaN(e) ? NaN : Math.max(e, found.get(name) ?? 0));
    }
  }
  await executable.close();
  return found;
}
