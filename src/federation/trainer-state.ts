import { DataError } from "../errors.js";
import { stream } from "../random/stream.js";
import type { Federation } from "./federation.js";
import { optimizerOf, type RunOptions } from "./run-options.js";
import { type ChosenStrategy, strategyOf } from "./strategies/strategies.js";

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
   * What the clients remember, each vector clients x parameters: those of their optimisers, under the names that these
   * give them; none if they are reset in every round.
   */
  readonly clients: Vectors;
}

/** The initial state that all runs of a seed share for every alpha: the same model and fresh optimisers. */
export function initialState(
  { operator, weights }: Pick<Federation, "operator" | "weights">,
  options: Pick<RunOptions, "seed" | "clientState"> & ChosenStrategy,
): TrainerState {
  const parameters = operator.initial(stream(options.seed, "model"));
  const zeros = (names: readonly string[], size: number) =>
    Object.fromEntries(names.map((name) => [name, new Float32Array(size)]));
  return {
    round: 0,
    server: { parameters, ...zeros(serverVectors(options), parameters.length) },
    clients: zeros(clientVectors(options), weights.length * parameters.length),
  };
}

/** Names of the server's vectors besides its parameters. */
export const serverVectors = (options: ChosenStrategy): readonly string[] =>
  strategyOf(options).serverVectors ?? [];

/** Names of the clients' vectors that last from round to round. */
export function clientVectors({
  optimizer,
  clientState,
}: Pick<RunOptions, "optimizer" | "clientState">): readonly string[] {
  return clientState === "reset" ? [] : optimizerOf(optimizer).stateVectors;
}

/** A vector of a state, which a run can only go on from if it has it. */
export function vectorOf(vectors: Vectors, name: string): Float32Array {
  const found = vectors[name];
  if (!found)
    throw new DataError(
      `the state has no vector "${name}", only ${Object.keys(vectors).join(", ") || "none"}`,
    );
  return found;
}

/** Local steps that a client has taken in so many rounds. */
export function stepsTaken(round: number, { localSteps }: Pick<RunOptions, "localSteps">): number {
  return round * localSteps;
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
