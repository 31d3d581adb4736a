import { DataError } from "../errors.js";
import { stream } from "../random/stream.js";
import type { Federation } from "./federation.js";
import { asksForLosses, type ParticipationOptions, participantCount } from "./participation/participants.js";
import { type ClientOptions, clientVectors, serverVectors, startsAtServer } from "./rounds/client-vectors.js";
import { checkClientsFit } from "./rounds/clients-memory.js";
import type { RunOptions } from "./run-options.js";
import type { Samples } from "./samples/stored-samples.js";
import { trainedClients } from "./trained-clients.js";

/** Vectors by name. */
export type Vectors = Readonly<Record<string, Float32Array>>;

/**
 * All that a run remembers between two rounds, so that continuing from a saved state gives the same bits as never
 * having stopped. Batches and the optimisers' step counts follow from the round.
 */
export interface TrainerState {
  /** Rounds that are done. */
  readonly round: number;
  /** What the server remembers: its `parameters`, and the vectors of its strategy under the names that this gives them. */
  readonly server: Vectors;
  /**
   * What the clients remember, each vector clients x parameters: those of their optimisers and of the strategy, under the
   * names that these give them.
   */
  readonly clients: Vectors;
  /** Which clients these are, where some have not taken part yet. Of many clients few may ever do, and vectors are long. */
  readonly partial?: PartialVectors;
}

/** Vectors of some clients. */
export interface PartialVectors {
  /** The clients that have vectors of their own, ascending. */
  readonly present: Int32Array;
  /** What the others start from, where that is not zero. */
  readonly starts: Vectors;
}

/** The initial state that all runs of a seed share for every alpha: the same model and fresh optimisers. */
export function initialState(
  problem: Pick<Federation<Samples>, "operator" | "weights" | "clientIndices">,
  options: ParticipationOptions & ClientOptions & Pick<RunOptions, "rounds">,
): TrainerState {
  const { weights } = trainedClients(problem, options);
  const parameters = problem.operator.initial(stream(options.seed, "model"));
  const ofServer = serverVectors(options).map((name) => [name, new Float32Array(parameters.length)]);
  const names = clientVectors(options);
  const isPartial = names.length > 0 && participantCount(weights.length, options) < weights.length;
  checkClientsFit(weights.length, { numbers: parameters.length, vectors: names.length }, options);
  const present = isPartial ? 0 : weights.length;
  const ofClients = names.map((name) => [
    name,
    startsAtServer(name)
      ? joinedVectors(Array.from({ length: present }, () => parameters))
      : new Float32Array(present * parameters.length),
  ]);
  const starts = names.filter(startsAtServer).map((name) => [name, parameters.slice()]);
  return {
    round: 0,
    server: { parameters, ...Object.fromEntries(ofServer) },
    clients: {
      ...Object.fromEntries(ofClients),
      ...(asksForLosses(weights.length, options) && { [STEPS]: new Float32Array(weights.length) }),
    },
    ...(isPartial && { partial: { present: new Int32Array(0), starts: Object.fromEntries(starts) } }),
  };
}

/** A vector of one client, which must not be changed. */
export function clientVector({ server, clients, partial }: TrainerState, name: string, client: number) {
  const size = vectorOf(server, "parameters").length;
  const all = vectorOf(clients, name);
  const place = partial ? partial.present.indexOf(client) : client;
  if (place >= 0) return all.subarray(place * size, (place + 1) * size);
  return partial!.starts[name] ?? new Float32Array(size);
}

/** Steps that each client has taken, where they do not follow from the round: clients numbers, and no vectors. */
export const STEPS = "steps taken";

/** A vector of a state, which a run can only go on from if it has it. */
export function vectorOf(vectors: Vectors, name: string): Float32Array {
  const found = vectors[name];
  if (!found)
    throw new DataError(
      `the state has no vector "${name}", only ${Object.keys(vectors).join(", ") || "none"}`,
    );
  return found;
}

/** Vectors laid end to end. */
export function joinedVectors(parts: readonly (Float32Array | Float64Array)[]): Float32Array {
  const whole = new Float32Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
