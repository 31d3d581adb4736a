import { describe, expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { backendOf } from "../../../src/federation/backends.js";
import { isPartial, participants } from "../../../src/federation/participation/participants.js";
import type { Replica } from "../../../src/federation/replicas/replicas.js";
import { replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../../src/federation/rounds/client-by-client.js";
import { type RoundHooks, type Rounds, roundsTogether } from "../../../src/federation/rounds/rounds.js";
import { roundsInTurns } from "../../../src/federation/rounds/rounds-in-turns.js";
import { type GivenRunOptions, type RunOptions, runOptions } from "../../../src/federation/run-options.js";
import { trainedReplica } from "../../../src/federation/trained-clients.js";
import {
  clientVector,
  initialState,
  joinedVectors,
  STEPS,
  type TrainerState,
} from "../../../src/federation/trainer-state.js";
import { bytesInMemory } from "../../../src/files/byte-source.js";
import { readState, writeState } from "../../../src/studies/execution/state-file.js";
import { plainGradient } from "../plain-federation.js";
import { smallProblem } from "../small-problem.js";

const problem = smallProblem([3, 20, 40, 9, 17]);
const ROUNDS = 4;
const SGD = { name: "sgd", rate: 1e-2, momentum: 0.5 };
const SOME = { participation: 2, dropout: 0.3 } as const;
const optionsWith = (more: Partial<GivenRunOptions>) =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: ROUNDS, localSteps: 2, batch: 17 },
    ...{ optimizer: { name: "adam", rate: 1e-2 }, ...more },
  });

const STRATEGIES: readonly Partial<GivenRunOptions>[] = [
  {},
  { strategy: { name: "fedprox", mu: 20 } },
  { strategy: { name: "fedprox", mu: 5, proximal: "decoupled" } },
  { strategy: { name: "scaffold" } },
  { strategy: { name: "scaffold", control: "II" }, optimizer: SGD },
  { strategy: { name: "fednova" }, optimizer: SGD, clientState: "reset" },
  { strategy: { name: "fedavgm" } },
  { strategy: { name: "fedadagrad" } },
  { strategy: { name: "fedadam", bias_correction: true } },
  { strategy: { name: "fedyogi" } },
  { strategy: { name: "ditto", lambda: 3 } },
  { strategy: { name: "local-only" } },
  { local: "branch.*" },
];

const CASES: readonly Partial<GivenRunOptions>[] = [
  ...STRATEGIES,
  { strategy: { name: "centralised" } },
  { strategy: { name: "ditto" }, local: "trunk.*", clientState: "average" },
  { secondMoment: "average" },
  { clientSchedule: "exponential:0.8", serverSchedule: "cosine:0.1" },
  ...STRATEGIES.map((one) => ({ ...one, ...SOME })),
  { ...SOME, localEpochs: 1, strategy: { name: "fednova" } },
  { ...SOME, localSteps: 4, localStepsMin: 1, strategy: { name: "scaffold" } },
  { ...SOME, sampling: "size", clientState: "average" },
  { sampling: "power-of-choice", participation: 2, candidates: 4 },
  { sampling: "power-of-choice", participation: 2, strategy: { name: "scaffold" }, dropout: 0.3 },
  { sampling: "power-of-choice", participation: 2, strategy: { name: "ditto" }, localEpochs: 1 },
  { sampling: "power-of-choice", participation: 2, local: "branch.*", localSteps: 4, localStepsMin: 1 },
];

/** Losses that change from round to round, as a trainer would measure them: here norms of gradients. */
const hooks: RoundHooks = {
  losses: async (parameters, asked) =>
    asked.map((clients, replica) =>
      Float64Array.from(problem.weights, (_, client) => {
        if (!clients.includes(client)) return Number.NaN;
        const gradient = plainGradient(problem, parameters[replica], problem.clientIndices[client]);
        return gradient.reduce((sum, value) => sum + value * value, 0);
      }),
    ),
};

function start(replica: Replica, way: string, backend: Backend): Promise<Rounds> {
  const data = replicaData([problem], backend);
  if (way === "one client after another") return roundsClientByClient(replica, data, backend, hooks);
  return isPartial(replica.problem.weights.length, replica.options)
    ? roundsInTurns([replica], data, backend, hooks)
    : roundsTogether([replica], data, backend);
}

/** States after each round from `first` on. */
async function states(
  options: RunOptions,
  way: string,
  backend: Backend,
  from?: TrainerState,
): Promise<readonly TrainerState[]> {
  const replica = trainedReplica({ problem, options, start: from ?? initialState(problem, options) });
  const rounds = await start(replica, way, backend);
  const found: TrainerState[] = [];
  for (let round = replica.start.round; round < options.rounds; round++) {
    await rounds.next(round % 2 === 0);
    found.push(structuredClone(rounds.states()[0]));
  }
  await rounds.close();
  return found;
}

/** What is left of a state after the program that wrote it has died. */
async function fromDisk(trainer: TrainerState): Promise<TrainerState> {
  const bytes = writeState({
    ...{ trainer, seconds: 1, journal: "0a1b" },
    checkpoints: { rounds: [0], parameters: [trainer.server.parameters] },
  });
  return (await readState(bytesInMemory(bytes, "state.npz"))).trainer;
}

describe.each(["all at once", "one client after another"])("a run that dies, %s,", (way) => {
  it.each(CASES)("goes on to the same bits from its state file: %j", async (more) => {
    const options = optionsWith(more);
    const backend = await backendOf("onnx");
    const whole = await states(options, way, backend);
    const saved = await fromDisk(whole[1]);
    expect(saved).toEqual(whole[1]);
    expect(await states(options, way, backend, saved)).toEqual(whole.slice(2));
  });
});

/** The state as earlier versions saved it, with the vectors of all clients. */
function ofAllClients({ partial: _, ...state }: TrainerState, clients: number): TrainerState {
  const whole = (name: string) =>
    joinedVectors(
      Array.from({ length: clients }, (__, client) => clientVector({ ...state, partial: _ }, name, client)),
    );
  const vectors = Object.keys(state.clients).map((name) => [
    name,
    name === STEPS ? state.clients[name] : whole(name),
  ]);
  return { ...state, clients: Object.fromEntries(vectors) };
}

describe("clients that have not taken part yet", () => {
  const all = problem.weights.length;
  const cases = STRATEGIES.map((one) => ({ ...one, participation: 2 }));

  it.each(cases)("have no vectors in a state, and start as the others did: %j", async (more) => {
    const options = optionsWith({ ...more, rounds: 2 });
    const backend = await backendOf("onnx");
    for (const way of ["all at once", "one client after another"]) {
      const [first, second] = await states(options, way, backend);
      const turns = participants(problem, options);
      const taken = turns.of(0).map(({ client }) => client);
      const names = Object.keys(first.clients);
      expect(first.partial?.present).toEqual(names.length > 0 ? Int32Array.from(taken) : undefined);
      for (const name of names)
        expect(first.clients[name]).toHaveLength(taken.length * first.server.parameters.length);
      // Files of earlier versions have the vectors of all clients.
      const older = await states(options, way, backend, ofAllClients(first, all));
      expect(older).toEqual([ofAllClients(second, all)]);
    }
  });
});

describe("a state file", () => {
  const saved = async (more: Partial<GivenRunOptions>) =>
    fromDisk((await states(optionsWith(more), "all at once", await backendOf("onnx"))).at(-1)!);
  const clients = problem.weights.length;

  it("has one number a client for the steps that each has taken, beside vectors as long as the parameters", async () => {
    const state = await saved({ sampling: "power-of-choice", participation: 2 });
    const size = state.server.parameters.length;
    expect(Object.keys(state.clients).sort()).toEqual(["first", "second", "steps taken"]);
    const taken = state.clients["steps taken"].filter((steps) => steps > 0).length;
    expect(state.clients.first).toHaveLength(taken * size);
    expect(state.clients["steps taken"]).toHaveLength(clients);
    // Two clients take two steps in each of four rounds.
    expect(state.clients["steps taken"].reduce((sum, steps) => sum + steps, 0)).toBe(2 * 2 * ROUNDS);
  });

  it("has the vectors of every strategy by their names, and nothing that starts anew in every round", async () => {
    const names = async (more: Partial<GivenRunOptions>) => {
      const { server, clients } = await saved({ rounds: 1, ...more });
      return [Object.keys(server).sort(), Object.keys(clients).sort()];
    };
    expect(await names({ clientState: "reset" })).toEqual([["parameters"], []]);
    expect(await names({ strategy: { name: "fedavgm" }, optimizer: SGD })).toEqual([
      ["parameters", "velocity"],
      ["momentum"],
    ]);
    expect(await names({ strategy: { name: "fedadam" }, clientState: "reset" })).toEqual([
      ["first", "parameters", "second"],
      [],
    ]);
    expect(await names({ strategy: { name: "scaffold" }, clientState: "reset" })).toEqual([
      ["control", "parameters"],
      ["control"],
    ]);
    expect(await names({ strategy: { name: "ditto" } })).toEqual([
      ["parameters"],
      ["first", "personal", "personal.first", "personal.second", "second"],
    ]);
    expect(await names({ local: "branch.*", clientState: "reset", secondMoment: "keep" })).toEqual([
      ["parameters"],
      ["parameters", "second"],
    ]);
  });

  it("that lacks a vector is refused, and does not go on with zeros", async () => {
    const options = optionsWith({ strategy: { name: "scaffold" } });
    const backend = await backendOf("onnx");
    const [{ clients, ...state }] = await states(options, "all at once", backend);
    const { control: _, ...others } = clients;
    for (const way of ["all at once", "one client after another"])
      await expect(states(options, way, backend, { ...state, clients: others })).rejects.toThrow(
        'the state has no vector "control", only first, second',
      );
  });
});

describe("power-of-choice", () => {
  it("needs a trainer that measures losses, and says so", async () => {
    const options = optionsWith({ sampling: "power-of-choice", participation: 2 });
    const replica = { problem, options, start: initialState(problem, options) };
    const backend = await backendOf("onnx");
    const rounds = await roundsInTurns([replica], replicaData([problem], backend), backend);
    await expect(rounds.next(false)).rejects.toThrow("sampling by losses needs a trainer that measures them");
    await rounds.close();
  });

  it("trains the clients with the largest losses of its candidates, at the parameters of the round", async () => {
    const options = optionsWith({ sampling: "power-of-choice", participation: 2, candidates: 4 });
    const backend = await backendOf("onnx");
    const seen: { parameters: Float32Array; asked: readonly number[]; losses: Float64Array }[] = [];
    const recording: RoundHooks = {
      async losses(parameters, asked) {
        const found = await hooks.losses!(parameters, asked);
        seen.push({ parameters: parameters[0].slice(), asked: asked[0], losses: found[0] });
        return found;
      },
    };
    const replica = { problem, options, start: initialState(problem, options) };
    const rounds = await roundsInTurns([replica], replicaData([problem], backend), backend, recording);
    let before = replica.start;
    for (let round = 0; round < ROUNDS; round++) {
      await rounds.next(false);
      const [after] = structuredClone(rounds.states());
      const { parameters, asked, losses } = seen[round];
      expect(parameters).toEqual(before.server.parameters);
      const best = [...asked].sort((a, b) => losses[b] - losses[a]).slice(0, 2);
      for (const client of problem.weights.keys()) {
        const taken = after.clients["steps taken"][client] - before.clients["steps taken"][client];
        expect(taken).toBe(best.includes(client) ? 2 : 0);
      }
      before = after;
    }
    await rounds.close();
  });
});
