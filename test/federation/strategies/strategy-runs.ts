import { expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { startRounds } from "../../../src/federation/rounds/rounds.js";
import { type GivenRunOptions, runOptions } from "../../../src/federation/run-options.js";
import { STRATEGY_NAMES } from "../../../src/federation/strategies/strategies.js";
import { trainedReplica } from "../../../src/federation/trained-clients.js";
import { replicaOf } from "../replica-of.js";
import { smallProblem } from "../small-problem.js";

const ADAM = { name: "adam", rate: 1e-2 };
const MOMENTUM = { name: "sgd", rate: 1e-2, momentum: 0.5 };

/** Runs that together use all that strategies and participation ask of a backend. */
export const STRATEGY_RUNS: readonly Partial<GivenRunOptions>[] = [
  // Where a correction should be zero, Adam makes steps of its round-off: these are compared with momentum.
  ...STRATEGY_NAMES.map((name) => ({
    strategy: { name },
    ...(name === "fednova"
      ? { optimizer: MOMENTUM, clientState: "reset" as const }
      : { optimizer: name === "scaffold" || name === "ditto" ? MOMENTUM : ADAM }),
  })),
  { strategy: { name: "fedprox", mu: 7, proximal: "decoupled" } },
  { strategy: { name: "fedadam", bias_correction: true }, participation: 2 },
  { strategy: { name: "scaffold", control: "II" }, optimizer: MOMENTUM },
  { strategy: { name: "scaffold" }, optimizer: MOMENTUM, participation: 2, dropout: 0.3 },
  { strategy: { name: "ditto" }, optimizer: MOMENTUM, participation: 2, clientState: "average" },
  { strategy: { name: "fednova" }, localSteps: 4, localStepsMin: 1 },
  { localEpochs: 1, local: "branch.*" },
  { local: "trunk.*", strategy: { name: "fedprox", mu: 20 }, participation: 3, dropout: 0.2 },
  { clientSchedule: "exponential:0.7", serverSchedule: "cosine:0.1", secondMoment: "average" },
];

const ROUNDS = 4;
const SIZES = [9, 20, 40, 3, 17];

/** Tests that a backend makes of these runs what the reference does, alone and as replicas. */
export function strategyTests(backend: () => Backend, bound: number): void {
  const problems = [smallProblem(SIZES), smallProblem([12, 8, 30, 20, 19], { seed: 9 })];
  const replicasWith = (more: Partial<GivenRunOptions>) =>
    problems.map((problem, i) => {
      const options = runOptions({
        ...{ task: "antiderivative", alpha: 1, seed: 3 + i, rounds: ROUNDS, localSteps: 2, batch: 17 },
        ...{ clients: SIZES.length, optimizer: ADAM, backend: "reference", ...more },
      });
      return trainedReplica(replicaOf(problem, options));
    });

  async function trained(replicas: ReturnType<typeof replicasWith>, by: Backend) {
    const data = replicaData(
      replicas.map(({ problem }) => problem),
      by,
    );
    const rounds = await startRounds(replicas, data, by);
    for (let round = 1; round < ROUNDS; round++) await rounds.next(false);
    const dispersions = Array.from(await rounds.next(true));
    const [states, updates] = [rounds.states(), rounds.updates()];
    await rounds.close();
    return { dispersions, states, updates };
  }

  it.each(STRATEGY_RUNS)("are what the reference makes of them, alone and as replicas: %j", async (more) => {
    const replicas = replicasWith(more);
    const alone = await trained(replicas.slice(0, 1), backend());
    const together = await trained(replicas, backend());
    for (const [i, replica] of replicas.entries()) {
      const expected = await trained([replica], referenceBackend);
      const found = i === 0 ? [alone, together] : [together];
      for (const [place, one] of found.entries()) {
        const own = place < found.length - 1 ? 0 : i;
        const [state, wanted] = [one.states[own], expected.states[0]];
        expect(farthest(state.server, wanted.server)).toBeLessThan(bound);
        expect(farthest(state.clients, wanted.clients)).toBeLessThan(10 * bound);
        if (expected.dispersions[0] > 1e-9)
          expect(one.dispersions[own] / expected.dispersions[0]).toBeCloseTo(1, 3);
        for (const [client, { size, cosine }] of one.updates[own].entries()) {
          expect(size / expected.updates[0][client].size).toBeCloseTo(1, 3);
          expect(cosine).toBeCloseTo(expected.updates[0][client].cosine, 3);
        }
      }
    }
  });
}

type Vectors = Readonly<Record<string, Float32Array>>;

/** The largest difference between vectors of the same names, relative to the largest number of each, or to one. */
function farthest(found: Vectors, expected: Vectors): number {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  return Math.max(
    0,
    ...Object.entries(expected).map(([name, vector]) => {
      let [most, distance] = [1, 0];
      for (const [i, value] of vector.entries()) {
        most = Math.max(most, Math.abs(value));
        distance = Math.max(distance, Math.abs(value - found[name][i]));
      }
      return distance / most;
    }),
  );
}
