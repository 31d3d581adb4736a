import type { Backend } from "../engine/backend.js";
import { backendOf } from "./backends.js";
import type { Federation } from "./federation.js";
import { type Observables, observablePrograms, openObservables } from "./observables.js";
import { checkReplicas, type Replica } from "./replicas.js";
import { type ReplicaData, replicaData } from "./replicas-data.js";
import { checkSamplesFit } from "./replicas-memory.js";
import { chosenInRound, programOfRound } from "./round-sizes.js";
import { startRounds } from "./rounds.js";
import type { RunOptions } from "./run-options.js";
import type { Samples } from "./samples/stored-samples.js";
import { initialState, type TrainerState } from "./trainer-state.js";

export { initialState, type TrainerState } from "./trainer-state.js";

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

export interface ReplicaHooks {
  /** A checkpoint of one of the replicas, by its place among them. */
  readonly onCheckpoint?: (replica: number, checkpoint: Checkpoint) => void | Promise<void>;
  /** Called after every round with the rounds done. */
  readonly onRound?: (round: number) => void;
  /** Called after every round and its checkpoints. Requesting the states copies them. */
  readonly saveStates?: (states: () => readonly TrainerState[]) => Promise<void>;
  /** Stops all replicas, between two rounds, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Data of replicas; a backend that can has prepared their programs. */
export async function prepareReplicas(replicas: readonly Replica[], backend: Backend): Promise<ReplicaData> {
  checkReplicas(replicas);
  const problems = replicas.map(({ problem }) => problem);
  for (const problem of problems) checkSamplesFit(problem, backend);
  const data = replicaData(problems, backend);
  const { train: onTrain, test: onTest, gradients } = observablePrograms(problems, data, backend);
  const round = () => programOfRound(replicas, data.training(chosenInRound(replicas)).shape, backend);
  const isNew = replicas[0].start.round === 0;
  const programs = [onTrain.program, onTest.program, ...(isNew ? [gradients] : []), round];
  await Promise.all(programs.map((program) => backend.prepare?.(program())));
  return data;
}

/**
 * Trains replicas as one program. Among others each comes out as it does alone, but for round-off: its batches, start and
 * checkpoints are its own, and what becomes of one, even infinity, does not touch the others.
 *
 * @returns the final parameters of each
 */
export async function trainReplicas(
  replicas: readonly Replica[],
  backend: Backend,
  hooks: ReplicaHooks = {},
  prepared?: ReplicaData,
): Promise<readonly Float32Array[]> {
  const [{ options, start }] = replicas;
  const data = prepared ?? (await prepareReplicas(replicas, backend));
  const problems = replicas.map(({ problem }) => problem);
  const wanted = new Set(options.checkpoints);
  const observables = await openObservables(problems, data, backend, options);
  try {
    const rounds = await startRounds(replicas, data, backend);
    try {
      const reach = async (round: number, dispersions: ArrayLike<number>) => {
        const found = await measure(observables, round, rounds.parameters(), dispersions);
        for (const [replica, checkpoint] of found.entries()) await hooks.onCheckpoint?.(replica, checkpoint);
      };
      if (start.round === 0 && wanted.has(0)) await reach(0, new Float64Array(replicas.length));
      for (let round = start.round + 1; round <= options.rounds; round++) {
        hooks.signal?.throwIfAborted();
        const dispersions = await rounds.next(wanted.has(round));
        hooks.onRound?.(round);
        if (wanted.has(round)) await reach(round, dispersions);
        await hooks.saveStates?.(() => rounds.states());
      }
      return rounds.parameters();
    } finally {
      await rounds.close();
    }
  } finally {
    await observables.close();
  }
}

/** A checkpoint of every replica; D_loc comes from the round itself. */
async function measure(
  observables: Observables,
  round: number,
  parameters: readonly Float32Array[],
  dispersions: ArrayLike<number>,
): Promise<Checkpoint[]> {
  const testErrors = await observables.testErrors(parameters);
  const gradients = round === 0 ? await observables.gradientDissimilarities(parameters) : undefined;
  const trainLosses = await observables.trainLosses(parameters);
  return parameters.map((own, replica) => ({
    round,
    testError: testErrors[replica],
    gradientDissimilarity: gradients?.[replica] ?? null,
    localDispersion: dispersions[replica],
    trainLoss: trainLosses[replica],
    parameters: own,
  }));
}
