import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { referenceBackend } from "../../src/engine/reference.js";
import type { Federation } from "../../src/federation/federation.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../src/federation/rounds/client-by-client.js";
import { roundsTogether } from "../../src/federation/rounds/rounds.js";
import { runOptions } from "../../src/federation/run-options.js";
import { type Checkpoint, train, trainReplicas } from "../../src/federation/trainer.js";
import { interpretingBackend } from "../engine/cuda/plan/interpret.js";
import { error } from "../engine/evaluation.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { fieldProblem } from "./field-problem.js";
import { replicaOf } from "./replica-of.js";

const FNO_SHAPES = { inputShape: [2, 5, 6], responseShape: [5, 6] };
const fno2d = buildOnGrid("fno", FNO_SHAPES, { width: 3, modes: 2, layers: 2, projection: 5 });
const NET_SHAPES = { inputShape: [1, 47, 12], responseShape: [70, 70] };
const net = buildOnGrid("inversion-net", NET_SHAPES, { width: 1 });
const LINE = { inputShape: [2, 9], responseShape: [9], axes: 1 };
const fno1d = buildOnGrid("fno", LINE, { width: 3, modes: 3, layers: 2, projection: 5 });
const SPACE = { inputShape: [2, 3, 4], responseShape: [2, 3, 4], axes: 3 };
const fno3d = buildOnGrid("fno", SPACE, { width: 2, modes: 1, layers: 2, projection: 3 });
const CHANNELS = { inputShape: [7], inputAxes: 1, responseShape: [2, 4, 5] };
const deeponet = buildOnGrid("deeponet", CHANNELS, { width: 6, depth: 2 });
const plans = interpretingBackend();

const options = (seed: number) =>
  runOptions({
    ...{ task: "darcy", alpha: 1, seed, rounds: 2, localSteps: 2, batch: 3, checkpoints: [0] },
    ...{ optimizer: { name: "adam", rate: 0.01 }, backend: "reference" },
  });

/** Rounds of all clients at once by a backend, and of one after another by its measure. */
async function compareRounds(problem: Federation, backend: Backend, measure: Backend, tolerance: number) {
  const replica = replicaOf(problem, options(1));
  const one = await roundsClientByClient(replica, replicaData([problem], measure), measure);
  const all = await roundsTogether([replica], replicaData([problem], backend), backend);
  for (let round = 0; round < replica.options.rounds; round++)
    expect((await all.next(true))[0] / (await one.next(true))[0]).toBeCloseTo(1, 4);
  const [[expected], [found]] = [one.states(), all.states()];
  expect(error(found.server.parameters, expected.server.parameters)).toBeLessThan(tolerance);
  expect(Object.keys(found.clients)).toEqual(["first", "second"]);
  for (const [name, vector] of Object.entries(found.clients))
    expect(error(vector, expected.clients[name])).toBeLessThan(tolerance);
  await one.close();
  await all.close();
}

describe("a round of all clients of a field model at once", () => {
  it.each([
    ["FNO2D by the reference", fieldProblem(fno2d, FNO_SHAPES), referenceBackend, referenceBackend, 1e-6],
    ["FNO2D by the plans of a GPU", fieldProblem(fno2d, FNO_SHAPES), plans, referenceBackend, 1e-5],
    ["FNO1D by the plans of a GPU", fieldProblem(fno1d, LINE), plans, referenceBackend, 1e-5],
    ["FNO3D by the plans of a GPU", fieldProblem(fno3d, SPACE), plans, referenceBackend, 1e-5],
    ["DeepONet by the plans of a GPU", fieldProblem(deeponet, CHANNELS), plans, referenceBackend, 1e-5],
    ["InversionNet by ONNX", fieldProblem(net, NET_SHAPES, [2, 1]), onnxBackend, onnxBackend, 1e-4],
  ])("is that of one client after another: %s", async (_, problem, backend, measure, tolerance) => {
    await compareRounds(problem, backend, measure, tolerance);
  });
});

describe("replicas of a field model", () => {
  it.each([
    ["FNO2D by the reference", fno2d, FNO_SHAPES, referenceBackend, 1e-6],
    ["FNO2D by the plans of a GPU", fno2d, FNO_SHAPES, plans, 1e-5],
    ["FNO1D by the plans of a GPU", fno1d, LINE, plans, 1e-5],
    ["DeepONet by the plans of a GPU", deeponet, CHANNELS, plans, 1e-5],
  ])("come out as alone: %s", async (_, operator, shapes, backend, tolerance) => {
    const problems = [fieldProblem(operator, shapes), fieldProblem(operator, shapes, [4, 2], 8)];
    const replicas = problems.map((problem, i) => replicaOf(problem, options(3 + i)));
    const found: Checkpoint[][] = replicas.map(() => []);
    await trainReplicas(replicas, backend, {
      onCheckpoint: (replica, checkpoint) => void found[replica].push(checkpoint),
    });
    for (const [replica, { problem, options: own }] of replicas.entries()) {
      const alone = await train(problem, own, { backend: referenceBackend });
      alone.checkpoints.forEach((expected, i) => {
        const checkpoint = found[replica][i];
        expect(checkpoint.round).toBe(expected.round);
        expect(error(checkpoint.parameters, expected.parameters)).toBeLessThan(tolerance);
        for (const name of ["testError", "trainLoss", "gradientDissimilarity", "localDispersion"] as const)
          expect(checkpoint[name] ?? 0).toBeCloseTo(expected[name] ?? 0, 5);
      });
    }
  });
});
