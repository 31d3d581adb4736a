import { availableParallelism, cpus, totalmem } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { binsSha256 } from "../exchange/partition-file.js";
import { type OpenBackend, openBackend } from "../federation/backends.js";
import { type FederatedProblem, federatedProblem, type TaskData } from "../federation/federated-problem.js";
import { operatorModel } from "../federation/operator-model.js";
import { train } from "../federation/trainer.js";
import { lockFolder } from "../files/folder-lock.js";
import { parameterCount } from "../models/parameter-layout.js";
import { countTable, PARTITION_SCHEMA } from "../partition/record.js";
import { RANDOM_ALGORITHM } from "../random/stream.js";
import { sha256 } from "../records/content-hash.js";
import { clearFailure } from "../records/run-failure.js";
import { isFinished, readRecordToCarryOut, runFolder } from "../records/run-folder.js";
import { RUN_SCHEMA, type RunRecord, type RunResult, recordedOptions } from "../records/run-record.js";
import { VERSION } from "../version.js";
import type { PlannedRun } from "./plan.js";
import { RunRecorder } from "./run-recorder.js";

/** Seconds between two savings of a run's state: little to lose, little to write. */
export const DEFAULT_SAVE_EVERY = 10;

/** Carries out a training, in its turn. */
export type Turn = <T>(train: () => Promise<T>) => Promise<T>;

export interface ExecuteHooks {
  readonly onRound?: (round: number) => void;
  /** Ends the run after the round at hand, with its state saved, by throwing the signal's reason. */
  readonly signal?: AbortSignal;
  /** Seconds between two savings of the state. */
  readonly saveEvery?: number;
  /** What computes; by default what the options name, on the CPU. */
  readonly backend?: OpenBackend;
  /** Trains in place of `train`. */
  readonly trainer?: typeof train;
  /** Called for the training, between what comes before and after; at once by default. */
  readonly turn?: Turn;
  /** Told what its user should know though nothing failed: that a run which was interrupted begins again, and why. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Carries out a run in its folder, or goes on with it where it was interrupted, to the same bits. A finished run
 * stays as it is. `data` is asked for only if there is something to do.
 */
export async function executeRun(
  study: string,
  run: PlannedRun,
  data: () => Promise<TaskData>,
  hooks: ExecuteHooks = {},
): Promise<RunResult> {
  const { signal, saveEvery = DEFAULT_SAVE_EVERY, trainer = train, turn = (work) => work() } = hooks;
  const { backend, hardware } = hooks.backend ?? (await openBackend(run.options, "cpu"));
  const opened = await openRun(study, run, data, hardware);
  if ("result" in opened) return opened.result;
  const { problem, recorder } = opened;
  if (opened.notice) hooks.onNotice?.(opened.notice);
  try {
    await turn(() => {
      let saved = recorder.begin();
      return trainer(problem, run.options, {
        backend,
        resume: recorder.resume?.trainer,
        onCheckpoint: (checkpoint) => recorder.checkpoint(checkpoint),
        onRound: hooks.onRound,
        saveState: async (state) => {
          await nextTurn(); // in which a request to stop can arrive
          if (!signal?.aborted && performance.now() - saved < 1000 * saveEvery) return;
          await recorder.saveState(state());
          saved = performance.now();
          signal?.throwIfAborted();
        },
      });
    });
    return await opened.finish();
  } finally {
    await opened.close();
  }
}

/** A run whose folder is locked and whose record is begun; close it when done. */
export interface OpenRun {
  readonly problem: FederatedProblem;
  readonly recorder: RunRecorder;
  /** That the run begins again, and why, where its saved state could not be used. */
  readonly notice: string | undefined;
  /** Writes what came out, once the run is trained. */
  finish(): Promise<RunResult>;
  close(): Promise<void>;
}

/** Opens a run to be carried out on this hardware, or gives its result if it is finished. */
export async function openRun(
  study: string,
  run: PlannedRun,
  data: () => Promise<TaskData>,
  hardware: OpenBackend["hardware"],
): Promise<OpenRun | { readonly result: RunResult }> {
  const folder = runFolder(study, run.id);
  // A worker that lost its study ends by itself within moments.
  const release = await lockFolder(folder, { patience: 30 });
  try {
    const known = await readRecordToCarryOut(folder);
    if (isFinished(known)) {
      await release();
      return { result: known.result };
    }
    const problem = await federatedProblem(await data(), run.options);
    const recorder = await RunRecorder.open(folder, await startedRecord(run, problem, hardware));
    await clearFailure(folder);
    const { restarted } = recorder;
    return {
      problem,
      recorder,
      notice: restarted && `run ${run.id} restarts from round 0: ${restarted}`,
      finish: () =>
        recorder.finish(problem.measured, problem.operator.layout, (parameters) =>
          operatorModel(problem, parameters),
        ),
      close: () => recorder.close().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** What is known of a run when it begins. */
async function startedRecord(
  { id, options }: PlannedRun,
  problem: FederatedProblem,
  hardware: OpenBackend["hardware"],
): Promise<RunRecord> {
  const { train, test, operator, scaling, measured, inputShape, responseShape } = problem;
  const { partition, bins, diagnostics } = measured;
  const counts = countTable(partition);
  return {
    schema: RUN_SCHEMA,
    id,
    status: "running",
    made_with: {
      name: "pde-dirichlet",
      version: VERSION,
      random: RANDOM_ALGORITHM,
      partition: PARTITION_SCHEMA,
      node: process.versions.node,
    },
    hardware: {
      platform: process.platform,
      architecture: process.arch,
      processor: cpus()[0]?.model.trim() ?? "unknown",
      cores: availableParallelism(),
      memory_gib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
      ...hardware,
    },
    started: new Date().toISOString(),
    options: recordedOptions(options),
    data: {
      task: options.task,
      origin: problem.origin,
      parameters: { ...options.parameters },
      seed: options.dataSeed,
      input_shape: [...inputShape],
      response_shape: [...responseShape],
      sha256: {
        train_inputs: await valuesSha256(train.inputs),
        train_responses: await valuesSha256(train.responses),
        test_inputs: await valuesSha256(test.inputs),
        test_responses: await valuesSha256(test.responses),
      },
    },
    architecture: { ...operator.architecture, parameters: parameterCount(operator.layout), scaling },
    partition: {
      bins_sha256: await binsSha256(bins),
      scale: bins.scale,
      sizes: counts.map((row) => row.reduce((a, b) => a + b, 0)),
      counts,
      repairs: partition.repairs.length,
      metrics: { ...diagnostics.metrics },
      notes: [...diagnostics.notes],
    },
  };
}

/** Runs of a seed have the same arrays, which are hashed once. */
const hashes = new WeakMap<Float32Array, Promise<string>>();

function valuesSha256(values: Float32Array): Promise<string> {
  const { buffer, byteOffset, byteLength } = values;
  const hash = hashes.get(values) ?? sha256(new Uint8Array(buffer, byteOffset, byteLength));
  hashes.set(values, hash);
  return hash;
}
