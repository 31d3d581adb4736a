import { type Backend, filled } from "../../engine/backend.js";
import type { Training } from "../../models/trainable-model.js";
import { hold, unlessHeld } from "../held-inputs.js";
import { isPartial, participantCount, participants } from "../participation/participants.js";
import type { Replica } from "../replicas/replicas.js";
import type { ReplicaData } from "../replicas/replicas-data.js";
import { joinedVectors, type TrainerState, vectorOf } from "../trainer-state.js";
import { roundsClientByClient } from "./client-by-client.js";
import { type ClientUpdate, clientUpdates } from "./client-updates.js";
import { clientVectors, serverVectors, startsAtServer } from "./client-vectors.js";
import { miniBatches } from "./mini-batches.js";
import { remainingSamples } from "./remaining-samples.js";
import { readBatches } from "./round-batches.js";
import {
  clientCoefficients,
  clientInput,
  coefficients,
  INPUTS,
  PARAMETERS,
  serverCoefficients,
  serverInput,
} from "./round-program.js";
import { chosenInRound, largestBatch, parts, programOfRound, sizesOfRound } from "./round-sizes.js";
import { roundsInTurns } from "./rounds-in-turns.js";
import { updateMeter } from "./update-meter.js";

/** Rounds of one or several replicas; close them when done. */
export interface Rounds {
  /** Does the next round of all replicas and returns the D_loc of each, 0 unless `measure`. */
  next(measure: boolean): Promise<ArrayLike<number>>;
  /** How far the participants of each replica moved in the last round that was measured. */
  updates(): readonly (readonly ClientUpdate[])[];
  /** The servers' parameters, replica by replica. */
  parameters(): readonly Float32Array[];
  states(): readonly TrainerState[];
  /** A vector of single clients of each replica, as it is now; it must not be changed. */
  vectors(name: string): readonly ((client: number) => Float32Array)[];
  close(): Promise<void>;
}

/** What is wanted of rounds besides themselves. */
export interface RoundWishes {
  /** Whether measured rounds give the inner products of every two clients' updates; processors only. Default false. */
  readonly updatePairs?: boolean;
}

/** What rounds ask of the trainer, and what is wanted of them. */
export interface RoundHooks extends RoundWishes {
  /** Losses of some clients of each replica at its server's parameters, one a client; those of others are NaN. */
  losses?(
    parameters: readonly Float32Array[],
    asked: readonly (readonly number[])[],
  ): Promise<readonly Float64Array[]>;
}

/**
 * Numbers in the largest activation of all clients up to which a round is one program. Above it the activations of ten
 * clients leave the cache, and one client after another is faster (by 20 to 30 % on a grid of 101 x 101); below it the
 * cost of starting operations dominates, and larger ones are faster (by three times on 100 points).
 */
const TOGETHER = 2 ** 18;
export const isTogether = (activation: number): boolean => activation <= TOGETHER;

/**
 * Starts or continues replicas, all from the same round, in whichever way is faster for their size and for the backend.
 * Each takes the batches that it takes alone.
 */
export function startRounds(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
  hooks: RoundHooks = {},
): Promise<Rounds> {
  const [{ problem, options }] = replicas;
  const clients = problem.weights.length;
  const activation =
    participantCount(clients, options) * largestBatch(replicas) * problem.operator.activation;
  if (replicas.length === 1 && !backend.prefersLargeKernels && !isTogether(activation))
    return roundsClientByClient(replicas[0], data, backend, hooks);
  return isPartial(clients, options)
    ? roundsInTurns(replicas, data, backend, hooks)
    : roundsTogether(replicas, data, backend, hooks);
}

/** All clients of all replicas in one program. */
export async function roundsTogether(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
  wishes: RoundWishes = {},
): Promise<Rounds> {
  const [{ options, start }] = replicas;
  const names = clientVectors(options);
  const ofServer = ["parameters", ...serverVectors(options)];
  const windows = data.training(chosenInRound(replicas));
  const { steps, rows, remaining } = sizesOfRound(replicas);
  const turns = replicas.map((replica) => participants(replica.problem, replica.options));
  const shares = Float64Array.from(turns.flatMap((turn) => turn.of(0).map(({ share }) => share)));
  const program = programOfRound(replicas, windows.shape, backend);
  const executable = await filled(await backend.compile(program, options), (it) => {
    hold(it, windows.shape);
    it.write(INPUTS.shares, shares);
    if (program.inputs.has(INPUTS.allShares)) it.write(INPUTS.allShares, shares);
    for (const name of ofServer)
      it.write(
        serverInput(name),
        joinedVectors(replicas.map((replica) => vectorOf(replica.start.server, name))),
      );
    for (const name of names) {
      const vectors = replicas.map((replica) => vectorOf(replica.start.clients, name));
      // Zeros at the start need no copy: they are gigabytes where models are large.
      const size = vectors.reduce((total, { length }) => total + length, 0);
      const isBlank = start.round === 0 && !startsAtServer(name);
      it.write(clientInput(name), isBlank ? new Float32Array(size) : joinedVectors(vectors));
    }
  });
  const owners = replicas.map((replica, i) => ({
    clientIndices: replica.problem.clientIndices,
    options: replica.options,
    offset: data.train.starts[i],
  }));
  const batches = miniBatches(owners, { steps, rows });
  const give = unlessHeld<Training>((training) => hold(executable, training));
  const clients = owners.flatMap(({ clientIndices, offset }) =>
    clientIndices.map((samples) => ({ samples, offset })),
  );
  const prepare = (next: number) => {
    const { indices, weights } = batches(next);
    const left = remaining && remainingSamples(clients, { indices, rows }, remaining);
    return readBatches(windows, { indices, weights }, left);
  };
  const meter = updateMeter(replicas, backend, wishes);
  let { round } = start;
  let updates: readonly (readonly ClientUpdate[])[] = replicas.map(() => []);
  let upcoming: ReturnType<typeof prepare> | undefined = prepare(round);
  const read = (input: string) => parts(executable.read(input), replicas.length);

  return {
    async next(measure) {
      // Where nothing is wanted of a round, a device can be told the next one meanwhile.
      const wanted = backend.prefersLargeKernels && !measure ? [] : undefined;
      const { held, inputs: chosen } = await (upcoming ?? prepare(round));
      give(held);
      const present = turns.map((turn) => turn.of(round));
      const inputs = {
        ...chosen,
        ...coefficients([round * steps], steps, options),
        ...clientCoefficients(round, present.flat(), options),
        ...serverCoefficients(round, options),
      };
      if (measure && meter) updates = clientUpdates(await meter.measure(executable, held, inputs), present);
      const running = executable.run(inputs, wanted);
      round++;
      upcoming = round < options.rounds ? prepare(round) : undefined; // while the backend is at work
      const found = await running;
      if (measure && !meter) updates = clientUpdates(found, present);
      const { dispersion } = found;
      // States are float32 whatever the backend computes in, so that a saved one is complete.
      if (dispersion instanceof Float64Array)
        for (const input of [...ofServer.map(serverInput), ...names.map(clientInput)])
          executable.write(input, Float32Array.from(executable.read(input)));
      return dispersion ?? new Float64Array(replicas.length);
    },
    updates: () => updates,
    parameters: () => read(PARAMETERS),
    states() {
      const vectors = (of: readonly string[], input: (name: string) => string) => {
        const all = of.map((name) => [name, read(input(name))] as const);
        return (i: number) => Object.fromEntries(all.map(([name, ofReplicas]) => [name, ofReplicas[i]]));
      };
      const [server, clients] = [vectors(ofServer, serverInput), vectors(names, clientInput)];
      return replicas.map((_, i) => ({ round, server: server(i), clients: clients(i) }));
    },
    vectors(name) {
      const size = vectorOf(start.server, "parameters").length;
      return read(clientInput(name)).map(
        (all) => (client: number) => all.subarray(client * size, (client + 1) * size),
      );
    },
    async close() {
      await meter?.close();
      await executable.close();
    },
  };
}
