import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { backendOf } from "../../src/federation/backends.js";
import type { Replica } from "../../src/federation/replicas/replicas.js";
import {
  CLIENT_STATES,
  type GivenRunOptions,
  type RunOptions,
  runOptions,
} from "../../src/federation/run-options.js";
import {
  type Checkpoint,
  type ReplicaHooks,
  type TrainerState,
  train,
  trainReplicas,
} from "../../src/federation/trainer.js";
import { interpretingBackend } from "../engine/cuda/plan/interpret.js";
import { replicaOf } from "./replica-of.js";
import { smallProblem } from "./small-problem.js";

const options = (changes: Partial<GivenRunOptions>): RunOptions =>
  runOptions({ task: "antiderivative", alpha: 1, seed: 3, rounds: 4, localSteps: 2, batch: 17, ...changes });

/** Clients of all kinds, twice on the same data and once on other ones, with batches of different largest sizes. */
const problems = [
  smallProblem([3, 20, 40]),
  smallProblem([21, 21, 21]),
  smallProblem([4, 5, 11], { seed: 8 }),
];

function replicasOf(chosen: Partial<GivenRunOptions>, ofProblems = problems): Replica[] {
  return ofProblems.map((problem, i) => replicaOf(problem, options({ ...chosen, seed: 3 + i })));
}

/** Trains replicas and gives the checkpoints of each. */
async function checkpointsOf(replicas: readonly Replica[], hooks: ReplicaHooks = {}, given?: Backend) {
  const found: Checkpoint[][] = replicas.map(() => []);
  const onCheckpoint = (i: number, checkpoint: Checkpoint) => void found[i].push(checkpoint);
  const backend = given ?? (await backendOf(replicas[0].options.backend));
  const parameters = await trainReplicas(replicas, backend, { ...hooks, onCheckpoint });
  return { parameters, checkpoints: found };
}

function largestDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  return Array.from(expected).reduce((most, value, i) => Math.max(most, Math.abs(found[i] - value)), 0);
}

const optimizers = [
  { name: "adam", rate: 1e-2 },
  { name: "sgd", rate: 1e-2, momentum: 0.9 },
] as const;
const cases = (["reference", "onnx"] as const).flatMap((backend) =>
  optimizers.flatMap((optimizer) =>
    CLIENT_STATES.map((clientState) => ({ backend, optimizer, clientState })),
  ),
);

describe("replicas", () => {
  it.each(cases)("come out as alone: $backend, $optimizer.name, $clientState", async (chosen) => {
    const tolerance = chosen.backend === "reference" ? 1e-12 : 2e-5;
    const replicas = replicasOf({ ...chosen, checkpoints: [0, 1, 3] });
    const { checkpoints, parameters } = await checkpointsOf(replicas);
    for (const [i, replica] of replicas.entries()) {
      const alone = await train(replica.problem, replica.options);
      expect(largestDifference(parameters[i], alone.parameters)).toBeLessThan(tolerance);
      expect(checkpoints[i].map(({ round }) => round)).toEqual([0, 1, 3, 4]);
      alone.checkpoints.forEach((expected, at) => {
        const { gradientDissimilarity: h, ...found } = checkpoints[i][at];
        expect(h === null).toBe(expected.gradientDissimilarity === null);
        if (h !== null) expect(Math.abs(h - expected.gradientDissimilarity!)).toBeLessThan(tolerance);
        for (const name of ["testError", "trainLoss", "localDispersion"] as const)
          expect(Math.abs(found[name] / (expected[name] || 1) - (expected[name] ? 1 : 0))).toBeLessThan(
            10 * tolerance,
          );
        expect(largestDifference(found.parameters, expected.parameters)).toBeLessThan(tolerance);
      });
    }
  });

  it.each(optimizers)("come out as alone by the plans of a GPU: $name", async (optimizer) => {
    const replicas = replicasOf({ optimizer, rounds: 2, batch: 4 }, problems.slice(1));
    const { parameters, checkpoints } = await checkpointsOf(replicas, {}, interpretingBackend());
    for (const [i, replica] of replicas.entries()) {
      const alone = await train(replica.problem, replica.options);
      expect(largestDifference(parameters[i], alone.parameters)).toBeLessThan(2e-5);
      const { testError, trainLoss } = checkpoints[i].at(-1)!;
      expect(testError).toBeCloseTo(alone.checkpoints.at(-1)!.testError, 5);
      expect(trainLoss).toBeCloseTo(alone.checkpoints.at(-1)!.trainLoss, 5);
      const start = checkpoints[i][0].gradientDissimilarity!;
      expect(start).toBeCloseTo(alone.checkpoints[0].gradientDissimilarity!, 5);
    }
  });

  it("do not depend on the others", async () => {
    const replicas = replicasOf({ backend: "reference" });
    const all = await checkpointsOf(replicas);
    const pair = await checkpointsOf([replicas[1], replicas[0]]);
    expect(pair.checkpoints[0]).toEqual(all.checkpoints[1]);
    expect(pair.checkpoints[1]).toEqual(all.checkpoints[0]);
  });

  it("go on to the same bits when they are stopped and resumed", async () => {
    for (const clientState of CLIENT_STATES) {
      const replicas = replicasOf({ rounds: 6, clientState });
      const saved: (readonly TrainerState[])[] = [];
      const whole = await checkpointsOf(replicas, {
        saveStates: async (states) => void saved.push(states()),
      });
      const resumed = replicas.map((replica, i) => ({ ...replica, start: structuredClone(saved[2][i]) }));
      expect(resumed[0].start.round).toBe(3);
      const rest = await checkpointsOf(resumed);
      expect(rest.parameters).toEqual(whole.parameters);
      expect(rest.checkpoints).toEqual(
        whole.checkpoints.map((ofRun) => ofRun.filter(({ round }) => round > 3)),
      );
    }
  });

  it("have states from which a run can go on alone", async () => {
    const replicas = replicasOf({ rounds: 5, backend: "reference" });
    const saved: (readonly TrainerState[])[] = [];
    const { parameters } = await checkpointsOf(replicas, {
      saveStates: async (states) => void saved.push(states()),
    });
    const { problem, options } = replicas[2];
    const alone = await train(problem, options, { resume: saved[1][2] });
    expect(largestDifference(alone.parameters, parameters[2])).toBeLessThan(1e-12);
  });

  it("are not touched by one that diverges", async () => {
    const replicas = replicasOf({});
    const { parameters } = await checkpointsOf(replicas);
    const broken = replicas.map((replica, i) => {
      const parameters = replica.start.server.parameters.map(() => NaN);
      return i === 1 ? { ...replica, start: { ...replica.start, server: { parameters } } } : replica;
    });
    const beside = await checkpointsOf(broken);
    expect(beside.parameters[1].every(Number.isNaN)).toBe(true);
    expect(beside.parameters[0]).toEqual(parameters[0]);
    expect(beside.parameters[2]).toEqual(parameters[2]);
  });

  it("stop between rounds when they are told to", async () => {
    const stop = new AbortController();
    const onRound = (round: number) => void (round === 2 && stop.abort(new Error("enough")));
    await expect(checkpointsOf(replicasOf({}), { signal: stop.signal, onRound })).rejects.toThrow("enough");
  });

  it("are refused when they do not fit together", async () => {
    const [first, second] = replicasOf({});
    const other = { ...second, options: options({ batch: 5 }) };
    await expect(checkpointsOf([first, other])).rejects.toThrow(/seed, alpha and partition only/);
    const later = { ...second, start: { ...second.start, round: 1 } };
    await expect(checkpointsOf([first, later])).rejects.toThrow(/from the same round/);
  });
});
