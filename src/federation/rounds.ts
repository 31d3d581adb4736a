import { type Backend, filled } from "../engine/backend.js";
import type { Training } from "../models/trainable-model.js";
import { roundsClientByClient } from "./client-by-client.js";
import { hold, unlessHeld } from "./held-inputs.js";
import { miniBatches } from "./mini-batches.js";
import { participantCount, participants, sharesOf } from "./participation/participants.js";
import { roundsInTurns } from "./participation/rounds-in-turns.js";
import type { Replica } from "./replicas.js";
import type { ReplicaData } from "./replicas-data.js";
import { clientInput, coefficients, PARAMETERS, serverCoefficients, serverInput } from "./round-program.js";
import { chosenInRound, largestBatch, parts, programOfRound } from "./round-sizes.js";
import { clientVectors, joinedVectors, serverVectors, type TrainerState, vectorOf } from "./trainer-state.js";

/** Rounds of one or several replicas; close them when done. */
export interface Rounds {
  /** Does the next round of all replicas and returns the D_loc of each, 0 unless `measure`. */
  next(measure: boolean): Promise<ArrayLike<number>>;
  /** The servers' parameters, replica by replica. */
  parameters(): readonly Float32Array[];
  states(): readonly TrainerState[];
  close(): Promise<void>;
}

/**
 * Numbers in the largest activation of all clients up to which a round is one program. Above it the activations of ten
 * clients leave the cache, and one client after another is faster (by 20 to 30 % on a grid of 101 x 101); below it the
 * cost of starting operations dominates, and larger ones are faster (by three times on 100 points).
 */
const TOGETHER = 2 ** 18;

/**
 * Starts or continues replicas, all from the same round, in whichever way is faster for their size and for the backend.
 * Each takes the batches that it takes alone.
 */
export function startRounds(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
): Promise<Rounds> {
  const [{ problem, options }] = replicas;
  const clients = problem.weights.length;
  const count = participantCount(clients, options);
  const activation = count * largestBatch(replicas) * problem.operator.activation;
  if (replicas.length === 1 && !backend.prefersLargeKernels && activation > TOGETHER)
    return roundsClientByClient(replicas[0], data, backend);
  return count < clients ? roundsInTurns(replicas, data, backend) : roundsTogether(replicas, data, backend);
}

/** All clients of all replicas in one program. */
export async function roundsTogether(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
): Promise<Rounds> {
  const [{ options, start }] = replicas;
  const names = clientVectors(options);
  const ofServer = ["parameters", ...serverVectors(options)];
  const windows = data.training(chosenInRound(replicas));
  const program = programOfRound(replicas, windows.shape, backend);
  const executable = await filled(await backend.compile(program, options), (it) => {
    hold(it, windows.shape);
    it.write("shares", Float64Array.from(replicas.flatMap((replica) => [...sharesOfAll(replica)])));
    for (const name of ofServer)
      it.write(
        serverInput(name),
        joinedVectors(replicas.map((replica) => vectorOf(replica.start.server, name))),
      );
    for (const name of names) {
      const vectors = replicas.map((replica) => vectorOf(replica.start.clients, name));
      // Zeros at the start need no copy: they are gigabytes where models are large.
      const size = vectors.reduce((total, { length }) => total + length, 0);
      it.write(clientInput(name), start.round === 0 ? new Float32Array(size) : joinedVectors(vectors));
    }
  });
  const owners = replicas.map((replica, i) => ({
    clientIndices: replica.problem.clientIndices,
    options: replica.options,
    offset: data.train.starts[i],
  }));
  const batches = miniBatches(owners, { localSteps: options.localSteps, rows: largestBatch(replicas) });
  const give = unlessHeld<Training>((training) => hold(executable, training));
  const prepare = (next: number) => {
    const { indices, weights } = batches(next);
    return { weights, window: windows.read(indices) };
  };
  let { round } = start;
  let upcoming: ReturnType<typeof prepare> | undefined = prepare(round);
  const read = (input: string) => parts(executable.read(input), replicas.length);

  return {
    async next(measure) {
      // Where nothing is wanted of a round, a device can be told the next one meanwhile.
      const wanted = backend.prefersLargeKernels && !measure ? [] : undefined;
      const { weights, window } = upcoming ?? prepare(round);
      const { held, indices } = await window;
      give(held);
      const running = executable.run(
        { indices, weights, ...coefficients([round], options), ...serverCoefficients(round, options) },
        wanted,
      );
      round++;
      upcoming = round < options.rounds ? prepare(round) : undefined; // while the backend is at work
      const { dispersion } = await running;
      // States are float32 whatever the backend computes in, so that a saved one is complete.
      if (dispersion instanceof Float64Array)
        for (const input of [...ofServer.map(serverInput), ...names.map(clientInput)])
          executable.write(input, Float32Array.from(executable.read(input)));
      return dispersion ?? new Float64Array(replicas.length);
    },
    parameters: () => read(PARAMETERS),
    states() {
      const vectors = (of: readonly string[], input: (name: string) => string) => {
        const all = of.map((name) => [name, read(input(name))] as const);
        return (i: number) => Object.fromEntries(all.map(([name, ofReplicas]) => [name, ofReplicas[i]]));
      };
      const [server, clients] = [vectors(ofServer, serverInput), vectors(names, clientInput)];
      return replicas.map((_, i) => ({ round, server: server(i), clients: clients(i) }));
    },
    close: () => executable.close(),
  };
}

/** Weights of all clients of a run in the average. */
const sharesOfAll = ({ problem, options }: Replica): Float64Array =>
  sharesOf(problem.weights, participants(problem.weights.length, options)(0), options);
