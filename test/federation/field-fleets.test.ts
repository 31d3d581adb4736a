import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { type FederatedProblem, problemFor } from "../../src/federation/federated-problem.js";
import type { FleetMember } from "../../src/federation/fleet-rounds.js";
import { trainFleet } from "../../src/federation/fleet-trainer.js";
import { roundsOneByOne, roundsTogether } from "../../src/federation/rounds.js";
import { runOptions } from "../../src/federation/run-options.js";
import { type Checkpoint, initialState, train } from "../../src/federation/trainer.js";
import { interpretingBackend } from "../engine/cuda/plan/interpret.js";
import { error } from "../engine/evaluation.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { fieldProblem } from "./field-problem.js";

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
const plans: Backend = { ...interpretingBackend(), wide: true };

const options = (seed: number) =>
  runOptions({
    ...{ task: "darcy", alpha: 1, seed, rounds: 2, localSteps: 2, batch: 3, checkpoints: [0] },
    ...{ optimizer: { name: "adam", rate: 0.01 }, backend: "reference" },
  });

/** Rounds of all clients at once by a backend, and of one after another by its measure. */
async function compareRounds(
  problem: FederatedProblem,
  backend: Backend,
  measure: Backend,
  tolerance: number,
) {
  const own = options(1);
  const start = initialState(problem, own);
  const one = await roundsOneByOne(problem, own, measure, start);
  const all = await roundsTogether(problemFor(problem, backend), own, backend, start);
  for (let round = 0; round < own.rounds; round++)
    expect((await all.next(true)) / (await one.next(true))).toBeCloseTo(1, 4);
  const [expected, found] = [one.state(), all.state()];
  for (const part of ["parameters", "clientState"] as const)
    expect(error(found[part], expected[part])).toBeLessThan(tolerance);
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

describe("runs of a field model side by side", () => {
  it.each([
    ["FNO2D by the reference", fno2d, FNO_SHAPES, referenceBackend, 1e-6],
    ["FNO2D by the plans of a GPU", fno2d, FNO_SHAPES, plans, 1e-5],
    ["FNO1D by the plans of a GPU", fno1d, LINE, plans, 1e-5],
    ["DeepONet by the plans of a GPU", deeponet, CHANNELS, plans, 1e-5],
  ])("come out as alone: %s", async (_, operator, shapes, backend, tolerance) => {
    const problems = [fieldProblem(operator, shapes), fieldProblem(operator, shapes, [4, 2], 8)];
    const members: FleetMember[] = problems.map((problem, run) => {
      const own = options(3 + run);
      return { problem, options: own, start: initialState(problem, own) };
    });
    const found: Checkpoint[][] = members.map(() => []);
    await trainFleet(members, backend, {
      onCheckpoint: (run, checkpoint) => void found[run].push(checkpoint),
    });
    for (const [run, { problem, options: own }] of members.entries()) {
      const alone = await train(problem, own, { backend: referenceBackend });
      alone.checkpoints.forEach((expected, i) => {
        const checkpoint = found[run][i];
        expect(checkpoint.round).toBe(expected.round);
        expect(error(checkpoint.parameters, expected.parameters)).toBeLessThan(tolerance);
        for (const name of ["testError", "trainLoss", "gradientDissimilarity", "localDispersion"] as const)
          expect(checkpoint[name] ?? 0).toBeCloseTo(expected[name] ?? 0, 5);
      });
    }
  });
});
