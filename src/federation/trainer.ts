import type { Backend } from "../engine/backend.js";
import { backendOf } from "./backends.js";
import type { Federation } from "./federation.js";
import type { RunOptions } from "./run-options.js";
import type { Samples } from "./samples/stored-samples.js";
import { type Checkpoint, trainReplicas } from "./train-replicas.js";
import { initialState, type TrainerState } from "./trainer-state.js";

export { type Checkpoint, prepareReplicas, type ReplicaHooks, trainReplicas } from "./train-replicas.js";
export { initialState, type TrainerState } from "./trainer-state.js";

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

/**
 * Federated training with full participation. In every round each client takes local steps from the server's
 * parameters on its own data, and the server averages the results, weighted by n_k / N.
 *
 * With one thread the same problem and options give the same bits, also when the run is stopped and resumed.
 */
export async function train(
  problem: Federation<Samples>,
  options: RunOptions,
  hooks: TrainHooks = {},
): Promise<TrainResult> {
  const started = performance.now();
  const { onRound, saveState, signal } = hooks;
  const start = hooks.resume ?? initialState(problem, options);
  const checkpoints: Checkpoint[] = [];
  const backend = hooks.backend ?? (await backendOf(options.backend));
  const [parameters] = await trainReplicas([{ problem, options, start }], backend, {
    async onCheckpoint(_, checkpoint) {
      checkpoints.push(checkpoint);
      await hooks.onCheckpoint?.(checkpoint);
    },
    onRound: (round) => onRound?.(round, (performance.now() - started) / 1000),
    saveStates: async (states) => saveState?.(() => states()[0]),
    signal,
  });
  return { parameters, checkpoints };
}
