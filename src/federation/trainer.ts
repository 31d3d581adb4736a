import type { Backend } from "../engine/backend.js";
import { stream } from "../random/stream.js";
import { backendOf } from "./backends.js";
import { type FederatedProblem, problemFor } from "./federated-problem.js";
import { type Observables, openObservables } from "./observables.js";
import { startRounds, type TrainerState } from "./rounds.js";
import { optimizerOf, type RunOptions } from "./run-options.js";

export type { TrainerState } from "./rounds.js";

/** Measurements after a round, or of the shared initial model (round 0). */
export interface Checkpoint {
  readonly round: number;
  /** Relative L2 error over the test set. */
  readonly testError: number;
  /** H_g^norm; at round 0 only. */
  readonly gradientDissimilarity: number | null;
  /** D_loc of the round that ended here; 0 at round 0. */
  readonly localDispersion: number;
  /** Mean squared error over all training samples. */
  readonly trainLoss: number;
  /** The server's parameters. */
  readonly parameters: Float32Array;
}

export interface TrainHooks {
  /** Continue from here; checkpoints up to and including this round are not measured again. */
  readonly resume?: TrainerState;
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void | Promise<void>;
  /** Called after every round with the rounds done and the seconds since the call of `train`. */
  readonly onRound?: (round: number, seconds: number) => void;
  /** Called after every round and its checkpoint. Requesting the state copies it. */
  readonly saveState?: (state: () => TrainerState) => Promise<void>;
  /** Stops the run, between two rounds, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Executes the programs instead of the backend that the options name. */
  readonly backend?: Backend;
}

export interface TrainResult {
  readonly parameters: Float32Array;
  /** Checkpoints of this call; a resumed run has recorded the earlier ones. */
  readonly checkpoints: readonly Checkpoint[];
}

/** The initial state that all runs of a seed share for every alpha: the same model and fresh optimisers. */
export function initialState(
  { operator, weights }: Pick<FederatedProblem, "operator" | "weights">,
  options: Pick<RunOptions, "seed" | "optimizer" | "clientState">,
): TrainerState {
  const parameters = operator.initial(stream(options.seed, "model"));
  const vectors = options.clientState === "reset" ? 0 : optimizerOf(options.optimizer).stateVectors;
  return {
    round: 0,
    parameters,
    clientState: new Float32Array(vectors * weights.length * parameters.length),
  };
}

/**
 * Federated training with full participation. In every round each client takes local steps from the server's
 * parameters on its own data, and the server averages the results, weighted by n_k / N.
 *
 * With one thread the same problem and options give the same bits, also when the run is stopped and resumed.
 */
export async function train(
  given: FederatedProblem,
  options: RunOptions,
  hooks: TrainHooks = {},
): Promise<TrainResult> {
  const started = performance.now();
  const backend = hooks.backend ?? (await backendOf(options.backend));
  const problem = problemFor(given, backend);
  const start = hooks.resume ?? initialState(problem, options);
  const wanted = new Set(options.checkpoints);
  const checkpoints: Checkpoint[] = [];
  const observables = await openObservables(problem, backend, options);
  const rounds = await startRounds(problem, options, backend, start);
  const reach = async (state: TrainerState, localDispersion: number) => {
    const checkpoint = await measure(observables, state, localDispersion);
    checkpoints.push(checkpoint);
    await hooks.onCheckpoint?.(checkpoint);
  };
  try {
    if (!hooks.resume && wanted.has(0)) await reach(start, 0);
    for (let round = start.round + 1; round <= options.rounds; round++) {
      hooks.signal?.throwIfAborted();
      const dispersion = await rounds.next(wanted.has(round));
      hooks.onRound?.(round, (performance.now() - started) / 1000);
      if (wanted.has(round)) await reach(rounds.state(), dispersion);
      await hooks.saveState?.(() => rounds.state());
    }
    return { parameters: rounds.state().parameters, checkpoints };
  } finally {
    await rounds.close();
    await observables.close();
  }
}

async function measure(
  observables: Observables,
  { round, parameters }: TrainerState,
  localDispersion: number,
): Promise<Checkpoint> {
  return {
    round,
    testError: await observables.testError(parameters),
    gradientDissimilarity: round === 0 ? await observables.gradientDissimilarity(parameters) : null,
    localDispersion,
    trainLoss: await observables.trainLoss(parameters),
    parameters,
  };
}
