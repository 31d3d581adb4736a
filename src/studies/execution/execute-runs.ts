import { setImmediate as nextTurn } from "node:timers/promises";
import { FileError } from "../../errors.js";
import { type OpenBackend, openBackend } from "../../federation/backends.js";
import type { Federation, PreparedData } from "../../federation/federation.js";
import type { Replica } from "../../federation/replicas/replicas.js";
import type { ReplicaData } from "../../federation/replicas/replicas-data.js";
import { stateBytes } from "../../federation/rounds/clients-memory.js";
import type { RunOptions } from "../../federation/run-options.js";
import type { Samples } from "../../federation/samples/stored-samples.js";
import {
  type Checkpoint,
  initialState,
  prepareReplicas,
  type TrainerState,
  trainReplicas,
} from "../../federation/trainer.js";
import { LARGEST } from "../../files/stored-zip.js";
import type { RunResult } from "../../records/run-record.js";
import type { PlannedRun } from "../plan.js";
import { type OpenRun, openRun } from "./open-run.js";
import { RunRecorder } from "./run-recorder.js";
import { Stopped } from "./stopped.js";

/** Seconds between two savings of states: little to lose, little to write. */
export const DEFAULT_SAVE_EVERY = 10;
/** Share of the time that saving states may take, so that many replicas on a fast machine do not wait for the disk. */
const SAVING = 0.1;

/** Carries out a training, in its turn. */
export type Turn = <T>(train: () => Promise<T>) => Promise<T>;

export interface Execution {
  readonly backend: OpenBackend;
  /** Called when the training of a run begins. */
  readonly onBegin?: (run: PlannedRun, problem: Federation<Samples>) => void;
  readonly onRound?: (run: PlannedRun, round: number) => void;
  readonly onCheckpoint?: (run: PlannedRun, checkpoint: Checkpoint) => void;
  /** Ends the runs after the round at hand, with their states saved, for the signal's reason. */
  readonly signal?: AbortSignal;
  /** Seconds between two savings of the states; 0 for every round. */
  readonly saveEvery?: number;
  /** Bytes that a saved state may have; by default those that its file can. */
  readonly largestState?: number;
  /** Called for the training, between what comes before and after; at once by default. */
  readonly turn?: Turn;
  /** Told what its user should know though nothing failed: that a run which was interrupted begins again, and why. */
  readonly onNotice?: (message: string) => void;
}

/** Carries out one run as `executeRuns` does, on the CPU by default, and throws if it fails. */
export async function executeRun(
  study: string,
  run: PlannedRun,
  data: () => Promise<PreparedData<Samples>>,
  execution: Partial<Execution> = {},
): Promise<RunResult> {
  const backend = execution.backend ?? (await openBackend(run.options, "cpu"));
  const [outcome] = await executeRuns(study, [run], data, { ...execution, backend });
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

/** One of the runs: what it works with, and what became of it. */
interface Executed {
  readonly run: PlannedRun;
  opened?: OpenRun;
  outcome?: PromiseSettledResult<RunResult>;
}

/**
 * Carries out runs as replicas of one program, each in its folder, or goes on with them where they were interrupted, to
 * the same bits; all have come to the same round. Finished runs stay as they are, and `data` is asked for only if there
 * is something to do. A run that fails is left behind, the others go on, unless nothing can be written any more.
 */
export async function executeRuns(
  study: string,
  runs: readonly PlannedRun[],
  data: (options: RunOptions) => Promise<PreparedData<Samples>>,
  execution: Execution,
): Promise<PromiseSettledResult<RunResult>[]> {
  const all: Executed[] = runs.map((run) => ({ run }));
  const hardware = { ...execution.backend.hardware, ...(runs.length > 1 && { replicas: runs.length }) };
  try {
    for (const executed of all) {
      execution.signal?.throwIfAborted();
      await attempt(executed, async () => {
        const { run } = executed;
        const opened = await openRun(study, run, () => data(run.options), hardware);
        if ("result" in opened) executed.outcome = { status: "fulfilled", value: opened.result };
        else {
          executed.opened = opened;
          if (opened.notice) execution.onNotice?.(opened.notice);
        }
      });
    }
    const able = all.filter((one): one is Able => !one.outcome && !!one.opened);
    const { turn = (train) => train() } = execution;
    if (able.length > 0) {
      const replicas = able.map(replicaOf);
      const data = await prepareReplicas(replicas, execution.backend.backend);
      await turn(() => trainAll(able, replicas, data, execution));
    }
    for (const executed of able)
      await attempt(executed, async () => {
        executed.outcome = { status: "fulfilled", value: await executed.opened.finish() };
      });
  } catch (reason) {
    for (const executed of all) executed.outcome ??= { status: "rejected", reason };
  } finally {
    for (const executed of all)
      await executed.opened?.close().catch((reason) => {
        executed.outcome = { status: "rejected", reason };
      });
  }
  return all.map(({ outcome }) => outcome!);
}

type Able = Executed & { readonly opened: OpenRun };

function replicaOf({ run: { options }, opened: { problem, recorder } }: Able): Replica {
  return { problem, options, start: recorder.resume?.trainer ?? initialState(problem, options) };
}

async function trainAll(
  all: readonly Able[],
  replicas: readonly Replica[],
  data: ReplicaData,
  execution: Execution,
): Promise<void> {
  const { backend, onBegin, onRound, onCheckpoint, signal, saveEvery = DEFAULT_SAVE_EVERY } = execution;
  const isSaved = all.map((one) => canSave(one, execution)).every(Boolean);
  for (const { run, opened } of all) {
    onBegin?.(run, opened.problem);
    opened.recorder.begin();
  }
  const notes = inBackground();
  let due = performance.now() + 1000 * saveEvery;
  const save = async (states: readonly TrainerState[]) => {
    await notes.done(); // what a state counts on is on the disk before it
    for (const executed of all) await attempt(executed, executed.opened.checkHeld);
    const began = performance.now();
    const sound = all.flatMap(({ opened, outcome }, i) =>
      outcome ? [] : [[opened.recorder, states[i]] as const],
    );
    await RunRecorder.saveStates(sound);
    const now = performance.now();
    due = saveEvery === 0 ? now : now + Math.max(1000 * saveEvery, (now - began) / SAVING);
  };
  try {
    await trainReplicas(
      replicas,
      backend.backend,
      {
        onCheckpoint: (i, checkpoint) => {
          const { run, opened } = all[i];
          onCheckpoint?.(run, checkpoint);
          // The backend goes on meanwhile.
          notes.add(() =>
            attempt(all[i], async () => {
              await opened.checkHeld();
              await opened.recorder.checkpoint(checkpoint);
            }),
          );
        },
        onRound: (round) => {
          for (const { run, outcome } of all) if (!outcome) onRound?.(run, round);
        },
        saveStates: async (states) => {
          await nextTurn(); // in which a request to stop can arrive
          if (notes.failed() || all.every(({ outcome }) => outcome)) throw new Stopped(); // nobody is left
          if (!signal?.aborted && performance.now() < due) return;
          if (isSaved) await save(states());
          signal?.throwIfAborted();
        },
      },
      data,
    );
  } finally {
    await notes.done();
  }
}

/** Whether the states of a run fit into a file; says so where they do not. */
function canSave(
  { run: { id, options }, opened: { problem } }: Able,
  { largestState = LARGEST, onNotice }: Execution,
): boolean {
  const bytes = stateBytes(problem.operator.layout, problem.weights.length, options);
  if (bytes <= largestState) return true;
  const gigabytes = (some: number) => (some / 1e9).toPrecision(3);
  onNotice?.(
    `run ${id} cannot be resumed: its state may take ${gigabytes(bytes)} GB, and a file holds ${gigabytes(largestState)} GB; ` +
      "if it is interrupted, it restarts from round 0",
  );
  return false;
}

/** Does one thing after another while others go on. What fails is the last that is done, and `done` says why. */
function inBackground() {
  let last = Promise.resolve();
  let failed = false;
  return {
    add(action: () => Promise<void>): void {
      last = last.then(action);
      last.catch(() => {
        failed = true;
      });
    },
    failed: () => failed,
    done: () => last,
  };
}

/** Does something for a run that has not ended yet. If it fails the run has; where nothing can be written, all have. */
async function attempt(executed: Executed, action: () => Promise<void>): Promise<void> {
  if (executed.outcome) return;
  try {
    await action();
  } catch (reason) {
    executed.outcome = { status: "rejected", reason };
    if (reason instanceof FileError) throw reason;
  }
}
