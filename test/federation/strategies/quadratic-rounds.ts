import type { Backend } from "../../../src/engine/backend.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { dataOrder } from "../../../src/federation/data-order.js";
import type { Federation } from "../../../src/federation/federation.js";
import { hold } from "../../../src/federation/held-inputs.js";
import {
  isPartial,
  type Participant,
  participants,
} from "../../../src/federation/participation/participants.js";
import { replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../../src/federation/rounds/client-by-client.js";
import { clientVectors } from "../../../src/federation/rounds/client-vectors.js";
import { remainingSamples } from "../../../src/federation/rounds/remaining-samples.js";
import {
  clientCoefficients,
  clientInput,
  coefficients,
  INPUTS,
  newValue,
  roundProgram,
  serverCoefficients,
  serverInput,
} from "../../../src/federation/rounds/round-program.js";
import { sizesOfRound } from "../../../src/federation/rounds/round-sizes.js";
import { type Rounds, roundsTogether } from "../../../src/federation/rounds/rounds.js";
import { roundsInTurns } from "../../../src/federation/rounds/rounds-in-turns.js";
import type { RunOptions } from "../../../src/federation/run-options.js";
import { trainedClients, trainedReplica } from "../../../src/federation/trained-clients.js";
import {
  clientVector,
  initialState,
  STEPS,
  type TrainerState,
} from "../../../src/federation/trainer-state.js";

/** Server and clients after a round. */
export interface QuadraticState {
  readonly server: Readonly<Record<string, readonly number[]>>;
  /** Vectors by name, one a client. */
  readonly clients: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly present: readonly Participant[];
}

/** The state before the first round. */
export function firstState(problem: Federation, options: RunOptions): QuadraticState {
  const { clientIndices } = trainedClients(problem, options);
  return { ...stateOf(initialState(problem, options), clientIndices.length), present: [] };
}

function stateOf(state: TrainerState, clients: number): Pick<QuadraticState, "server" | "clients"> {
  const { [STEPS]: _, ...vectors } = state.clients;
  const split = (__: Float32Array, name: string) =>
    Array.from({ length: clients }, (___, k) => Array.from(clientVector(state, name, k)));
  return {
    server: mapped(state.server, (vector) => Array.from(vector)),
    clients: mapped(vectors, split),
  };
}

/** States after each round, in float64 throughout, by the program of a round. */
export async function exactRounds(
  given: Federation,
  options: RunOptions,
  start?: Pick<QuadraticState, "server" | "clients">,
): Promise<readonly QuadraticState[]> {
  const replica = trainedReplica({ problem: given, options, start: initialState(given, options) });
  const { problem } = replica;
  const { training } = given;
  const sizes = { ...sizesOfRound([replica]), isPartial: true, isRagged: true };
  const program = roundProgram(training, options, sizes);
  const executable = await referenceBackend.compile(program);
  hold(executable, training);
  const turns = participants(problem, options);
  const orders = problem.clientIndices.map((own, client) => dataOrder(own, { ...options, client }));
  let { server, clients } = start ?? stateOf(replica.start, problem.clientIndices.length);
  for (const [name, vector] of Object.entries(server))
    executable.write(serverInput(name), Float64Array.from(vector));
  const states: QuadraticState[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const present = turns.of(round);
    const batches = Array.from({ length: sizes.steps }, (_, step) =>
      present.map(({ client, before, steps }) => orders[client](before + Math.min(step, steps - 1))),
    ).flat();
    const filled = batches.map((batch) =>
      Array.from({ length: sizes.rows }, (_, i) => [
        batch[i] ?? batch[0],
        i < batch.length ? 1 / batch.length : 0,
      ]),
    );
    const indices = Int32Array.from(filled.flat(), ([sample]) => sample);
    const owners = present.map(({ client }) => ({ samples: problem.clientIndices[client], offset: 0 }));
    const remaining =
      sizes.remaining && remainingSamples(owners, { indices, rows: sizes.rows }, sizes.remaining);
    const inputs: Record<string, Int32Array | Float64Array> = {
      [INPUTS.indices]: indices,
      [INPUTS.weights]: Float64Array.from(filled.flat(), ([, weight]) => weight),
      // In float32 the weight of one of three samples is no third.
      ...(remaining && {
        [INPUTS.remainingIndices]: remaining.indices,
        [INPUTS.remainingWeights]: Float64Array.from(remaining.weights, (x) =>
          x === 0 ? 0 : 1 / Math.round(1 / x),
        ),
        [INPUTS.firstShares]: Float64Array.from(
          remaining.shares,
          (x, place) => Math.round(x * owners[place].samples.length) / owners[place].samples.length,
        ),
      }),
      [INPUTS.shares]: Float64Array.from(present, ({ share }) => share),
      [INPUTS.allShares]: Float64Array.from(present, ({ weight }) => weight),
      [INPUTS.active]: Float64Array.from({ length: sizes.steps * present.length }, (_, i) =>
        Math.floor(i / present.length) < present[i % present.length].steps ? 1 : 0,
      ),
      ...coefficients(
        present.map(({ before }) => before),
        sizes.steps,
        options,
      ),
      ...clientCoefficients(round, present, options),
      ...serverCoefficients(round, options),
    };
    for (const name of clientVectors(options))
      inputs[clientInput(name)] = Float64Array.from(present.flatMap(({ client }) => clients[name][client]));
    const found = await executable.run(
      Object.fromEntries(Object.entries(inputs).filter(([name]) => program.inputs.has(name))),
    );
    const size = server.parameters.length;
    const next = { ...mapped(clients, (vectors) => [...vectors]) };
    for (const name of clientVectors(options))
      for (const [place, { client, share }] of present.entries())
        if (share > 0)
          next[name][client] = Array.from(found[newValue(clientInput(name))]).slice(
            place * size,
            (place + 1) * size,
          );
    clients = next;
    server = mapped(server, (_, name) => Array.from(executable.read(serverInput(name))));
    states.push({ server, clients, present });
  }
  await executable.close();
  return states;
}

/** The ways in which a run like this is executed. */
export function waysOf(problem: Federation, options: RunOptions): readonly string[] {
  return [
    isPartial(trainedClients(problem, options).weights.length, options) ? "in turns" : "together",
    "client by client",
  ];
}

/** States after each round by the rounds that train runs, which keep them in float32. */
export async function runRounds(
  problem: Federation,
  options: RunOptions,
  way: string,
  backend: Backend = referenceBackend,
): Promise<readonly Pick<QuadraticState, "server" | "clients">[]> {
  const replica = trainedReplica({ problem, options, start: initialState(problem, options) });
  const data = replicaData([problem], backend);
  const rounds: Rounds = await (way === "client by client"
    ? roundsClientByClient(replica, data, backend)
    : (way === "in turns" ? roundsInTurns : roundsTogether)([replica], data, backend));
  const states: Pick<QuadraticState, "server" | "clients">[] = [];
  for (let round = 0; round < options.rounds; round++) {
    await rounds.next(true);
    states.push(stateOf(rounds.states()[0], replica.problem.clientIndices.length));
  }
  await rounds.close();
  return states;
}

function mapped<A, B>(
  values: Readonly<Record<string, A>>,
  change: (x: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
