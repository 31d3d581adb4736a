import type { Backend } from "../engine/backend.js";
import { observablePrograms } from "./observables/observables.js";
import { type Checkpoint, openTraining } from "./open-training.js";
import { checkReplicas, type Replica } from "./replicas/replicas.js";
import { type ReplicaData, replicaData } from "./replicas/replicas-data.js";
import { checkSamplesFit } from "./replicas/replicas-memory.js";
import { checkLength, chosenInRound, programOfRound } from "./rounds/round-sizes.js";
import { trainedReplica } from "./trained-clients.js";
import type { TrainerState } from "./trainer-state.js";

export type { Checkpoint } from "./open-training.js";

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
  const trained = replicas.map(trainedReplica);
  checkLength(trained);
  const round = () => programOfRound(trained, data.training(chosenInRound(trained)).shape, backend);
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
  const wanted = new Set(options.checkpoints);
  const training = await openTraining(replicas, data, backend);
  try {
    const { rounds } = training;
    const reach = async (round: number, dispersions: ArrayLike<number>) => {
      const found = await training.checkpoints(round, dispersions);
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
    await training.close();
  }
}
