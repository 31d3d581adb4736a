import { describe, expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { backendOf } from "../../../src/federation/backends.js";
import type { Replica } from "../../../src/federation/replicas/replicas.js";
import { type ReplicaData, replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../../src/federation/rounds/client-by-client.js";
import { roundsInTurns } from "../../../src/federation/rounds/rounds-in-turns.js";
import {
  CLIENT_STATES,
  type GivenRunOptions,
  type RunOptions,
  runOptions,
} from "../../../src/federation/run-options.js";
import { modelsOfState } from "../models-of-state.js";
import { plainFederation } from "../plain-federation.js";
import { replicaOf } from "../replica-of.js";
import { smallProblem } from "../small-problem.js";

const SIZES = [3, 20, 40, 9, 17];
const problem = smallProblem(SIZES);
const ROUNDS = 5;
const optionsWith = (more: Partial<GivenRunOptions>) =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: ROUNDS, localSteps: 2, batch: 17 },
    ...{ participation: 2, optimizer: { name: "adam", rate: 1e-2 }, backend: "reference", ...more },
  });

type Rest = [ReplicaData, Backend];
const WAYS = {
  "in one program": (replica: Replica, ...rest: Rest) => roundsInTurns([replica], ...rest),
  "one after another": roundsClientByClient,
};
const worst = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

async function roundsOf(replica: Replica, way: keyof typeof WAYS, name: "reference" | "onnx") {
  const engine = await backendOf(name);
  return WAYS[way](replica, replicaData([problem], engine), engine);
}

describe.each(["reference", "onnx"] as const)("two of five clients a round by the %s backend", (backend) => {
  const cases = (Object.keys(WAYS) as (keyof typeof WAYS)[]).flatMap((way) =>
    [...CLIENT_STATES.map((clientState) => ({ clientState })), { strategy: { name: "fedyogi" } }].flatMap(
      (more) => ["size", "uniform"].map((weights) => ({ way, more: { ...more, weights } })),
    ),
  );
  it.each(cases)("are what loops over numbers give, $way, $more", async ({ way, more }) => {
    const options = optionsWith(more as Partial<GivenRunOptions>);
    const replica = replicaOf(problem, options);
    const expected = plainFederation(problem, options, replica.start.server.parameters);
    const rounds = await roundsOf(replica, way, backend);
    let dispersion = 0;
    for (let round = 0; round < ROUNDS; round++) [dispersion] = Array.from(await rounds.next(true));
    const [{ server }] = rounds.states();
    await rounds.close();
    expect(worst(server.parameters, expected.parameters)).toBeLessThan(backend === "reference" ? 2e-6 : 2e-5);
    expect(dispersion / expected.dispersion).toBeCloseTo(1, 3);
  });

  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    "go on to the same bits when they are stopped, %s",
    async (way) => {
      const options = optionsWith({ strategy: { name: "fedadam" } });
      const whole = await roundsOf(replicaOf(problem, options), way, backend);
      for (let round = 0; round < ROUNDS; round++) await whole.next(true);
      const first = await roundsOf(replicaOf(problem, options), way, backend);
      for (let round = 0; round < 2; round++) await first.next(true);
      const [start] = first.states();
      const second = await roundsOf({ problem, options, start }, way, backend);
      for (let round = 2; round < ROUNDS; round++) await second.next(true);
      expect(second.states()).toEqual(whole.states());
      for (const rounds of [whole, first, second]) await rounds.close();
    },
  );
});

/** Where a correction should be zero, Adam makes steps of its round-off. */
const MOMENTUM = { name: "sgd", rate: 1e-2, momentum: 0.5 };

/** Rounds in which clients differ in more than their data. */
const UNEVEN: readonly Partial<GivenRunOptions>[] = [
  { dropout: 0.4 },
  { participation: undefined, dropout: 0.5, strategy: { name: "fedadam" } },
  { localSteps: 4, localStepsMin: 1 },
  { localSteps: 4, localStepsMin: 2, participation: undefined, strategy: { name: "fednova" } },
  { localEpochs: 2, participation: 3 },
  { localEpochs: 1, participation: undefined, strategy: { name: "fednova" } },
  { sampling: "size" },
  { secondMoment: "average", clientState: "reset" },
  { secondMoment: "average", clientState: "keep" },
  { secondMoment: "keep", clientState: "reset" },
  { local: "branch.*" },
  { local: "branch.0.*" },
  { local: "trunk.0.weight" },
  { local: "trunk.*", strategy: { name: "fedprox", mu: 20 }, dropout: 0.2 },
  { clientSchedule: "exponential:0.7", serverSchedule: "step:0.5:2" },
  { clientSchedule: "cosine:0.1", strategy: { name: "fedprox", mu: 9, proximal: "decoupled" } },
  { strategy: { name: "scaffold" }, dropout: 0.3, optimizer: MOMENTUM },
  {
    ...{ strategy: { name: "scaffold" }, weights: "uniform", localSteps: 3, localStepsMin: 1 },
    optimizer: MOMENTUM,
  },
  {
    ...{ strategy: { name: "scaffold", control: "II" }, localSteps: 3, localStepsMin: 1 },
    optimizer: MOMENTUM,
  },
  {
    strategy: { name: "scaffold", control: "II" },
    ...{ optimizer: MOMENTUM, clientState: "reset", clientSchedule: "exponential:0.7" },
  },
  { strategy: { name: "ditto", lambda: 3 }, clientState: "average", dropout: 0.3, optimizer: MOMENTUM },
  { strategy: { name: "local-only" } },
];

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("uneven rounds, %s,", (way) => {
  it.each(UNEVEN)("are what loops over numbers give, %j", async (more) => {
    const options = optionsWith(more);
    for (const backend of ["reference", "onnx"] as const) {
      const replica = replicaOf(problem, options);
      const expected = plainFederation(problem, options, replica.start.server.parameters);
      const rounds = await roundsOf(replica, way, backend);
      let dispersion = 0;
      for (let round = 0; round < ROUNDS; round++) [dispersion] = Array.from(await rounds.next(true));
      const [state] = rounds.states();
      const bound = backend === "reference" ? 2e-6 : 2e-5;
      expect(worst(state.server.parameters, expected.parameters)).toBeLessThan(bound);
      if (expected.dispersion > 0) expect(dispersion / expected.dispersion).toBeCloseTo(1, 3);
      const own = modelsOfState(state, options, problem.operator.layout, problem.weights.length);
      for (const [client, model] of own.entries()) {
        const layout = problem.operator.layout.filter(({ name }) => isOwn(options, name));
        for (const { start, size } of layout)
          expect(
            worst(model.subarray(start, start + size), expected.personal[client].slice(start, start + size)),
          ).toBeLessThan(bound);
      }
      await rounds.close();
    }
  });

  it.each(UNEVEN)("go on to the same bits when they are stopped, %j", async (more) => {
    const options = optionsWith(more);
    const whole = await roundsOf(replicaOf(problem, options), way, "reference");
    for (let round = 0; round < ROUNDS; round++) await whole.next(false);
    const first = await roundsOf(replicaOf(problem, options), way, "reference");
    for (let round = 0; round < 2; round++) await first.next(true);
    const [start] = first.states();
    const second = await roundsOf({ problem, options, start }, way, "reference");
    for (let round = 2; round < ROUNDS; round++) await second.next(false);
    expect(second.states()).toEqual(whole.states());
    for (const rounds of [whole, first, second]) await rounds.close();
  });
});

/** Whether a block of parameters is the client's own. */
function isOwn({ strategy, local }: RunOptions, block: string): boolean {
  if (strategy?.name === "ditto" || strategy?.name === "local-only") return true;
  return local !== undefined && block.startsWith(local.replace("*", ""));
}

describe("replicas in which some clients take part", () => {
  it("come out as alone, each with participants of its own", async () => {
    const engine = await backendOf("reference");
    const problems = [problem, smallProblem(SIZES, { seed: 9 })];
    const replicas = problems.map((own, i) => replicaOf(own, optionsWith({ seed: 3 + i })));
    const together = await roundsInTurns(replicas, replicaData(problems, engine), engine);
    for (let round = 0; round < ROUNDS; round++) await together.next(true);
    for (const [i, replica] of replicas.entries()) {
      const alone = await roundsInTurns([replica], replicaData([replica.problem], engine), engine);
      for (let round = 0; round < ROUNDS; round++) await alone.next(true);
      const [one, other] = [together.states()[i], alone.states()[0]];
      expect(worst(one.server.parameters, other.server.parameters)).toBeLessThan(1e-6);
      expect(worst(one.clients.second, other.clients.second)).toBeLessThan(1e-6);
      await alone.close();
    }
    await together.close();
  });
});
