import { setTimeout as pause } from "node:timers/promises";
import { prepareDataset } from "../datasets/generated-file.js";
import { FileError } from "../errors.js";
import { type DataRemarks, dataRemarks } from "../federation/prepared-data.js";
import { folderAbove, removeEmptyFolders } from "../files/disk.js";
import { lockFolder, lockState, releaseGone } from "../files/lock/folder-lock.js";
import { holderWords } from "../files/lock/holder.js";
import { writeFailure } from "../records/run-failure.js";
import {
  checkFile,
  isFinished,
  RUN_FILES,
  readRecordToCarryOut,
  readRunRecord,
  runFolder,
} from "../records/run-folder.js";
import { grantedCores } from "../schedulers/granted.js";
import { writeRecords } from "./collect-records.js";
import { HeldElsewhere } from "./execution/held-elsewhere.js";
import type { Runner } from "./execution/runner.js";
import { Stopped } from "./execution/stopped.js";
import { type CutOptions, cutRuns } from "./parts/cut-runs.js";
import type { Part } from "./parts/part.js";
import { joinWork } from "./parts/workers.js";
import { allRuns, type PlannedRun, type StudyPlan } from "./plan.js";
import { StudyClock, type StudyProgress } from "./progress.js";
import { checkStudies, writeStudies } from "./study-file.js";

/** Threads that generate data beside a training: they leave it a core, and are no single one, which would be its own. */
const threadsBesideTraining = () => Math.max(2, grantedCores() - 1);
/** Seconds to wait for others that write the study's file or its table, which takes moments. */
const WRITING_PATIENCE = 120;
/** Milliseconds between two looks at runs that others work on. */
const LOOK_AGAIN = 1000;

export interface StudyHooks {
  readonly onProgress?: (progress: StudyProgress) => void;
  /** Called before training with what should not be missed about files of data. */
  readonly onWarning?: (message: string) => void;
  /** Told once what the study waits for: runs that other processes work on. */
  readonly onWaiting?: (message: string) => void;
  /** Stops the study: the runs at hand save their states. */
  readonly signal?: AbortSignal;
  /** The command line that asks for it, kept for reports. */
  readonly command?: string;
}

/** The part of a study that a process carries out, and how it is cut. */
export interface StudyShare extends CutOptions {
  readonly part: Part;
}

export interface StudyOutcome {
  /** Runs of this process's part. */
  readonly runs: number;
  /** Those of them that are finished. */
  readonly finished: number;
  /** Runs that could not be finished, and why. */
  readonly failed: readonly { readonly id: string; readonly error: Error }[];
  /** Runs of a part that other processes work on. */
  readonly elsewhere: readonly string[];
  readonly stopped: boolean;
  /** Whether the seed-level table was written: at the end of a study, or by the part that finds all runs finished. */
  readonly hasTable: boolean;
}

/**
 * Trains one study, or several that share runs, in a folder, or resumes them; with a `share`, only a part of the runs. Any
 * number of processes may do so in one folder, also on several machines that share a file system: each run has a lock. A
 * process leaves alone what others work on, and waits for it at the end, or goes on with it where they were killed.
 * It never repeats finished runs. If a run fails, the others continue, unless the folder cannot be written. At the end it
 * writes the seed-level table. Where no run can be trained on its data, nothing is written.
 */
export async function runStudy(
  folder: string,
  plan: StudyPlan | readonly StudyPlan[],
  startRunner: (folder: string) => Runner,
  hooks: StudyHooks = {},
  share?: StudyShare,
): Promise<StudyOutcome> {
  const plans = [plan].flat();
  const all = allRuns(plans);
  const above = await folderAbove(folder);
  const own = share ? cutRuns(all, share.part.of, share)[share.part.index - 1] : all;
  const leave = await joinWork(folder, share && { part: share.part, runs: own }, hooks.onWaiting);
  try {
    await checkStudies(folder, plans);
    const runner = startRunner(folder);
    const stop = () => runner.stop();
    hooks.signal?.addEventListener("abort", stop);
    try {
      const runs = await runsByState(folder, own);
      const warnings = await checkData(runs.waiting, runner.dataMemory);
      await alone(folder, () => writeStudies(folder, plans, hooks));
      for (const warning of warnings) hooks.onWarning?.(warning);
      const outcome = await runAll(folder, runs, runner, { ...hooks, isPart: share !== undefined });
      const hasTable = !outcome.stopped && (!share || (await areFinished(folder, all)));
      if (hasTable) await alone(folder, () => writeRecords(folder));
      return { ...outcome, hasTable };
    } finally {
      hooks.signal?.removeEventListener("abort", stop);
      await runner.close();
    }
  } finally {
    await leave();
    await removeEmptyFolders(folder, above);
  }
}

/** Does what others must not do in the folder at the same time, and takes moments. */
export async function alone<T>(folder: string, action: () => Promise<T>): Promise<T> {
  const lock = await lockFolder(folder, { patience: WRITING_PATIENCE });
  try {
    return await action();
  } finally {
    await lock.release();
  }
}

export async function areFinished(folder: string, runs: readonly PlannedRun[]): Promise<boolean> {
  for (const { id } of runs) if (!isFinished(await readRunRecord(runFolder(folder, id)))) return false;
  return true;
}

/** Runs of a study, and which of them are finished. */
interface RunsByState {
  readonly all: readonly PlannedRun[];
  readonly done: readonly PlannedRun[];
  readonly waiting: readonly PlannedRun[];
}

async function runsByState(folder: string, all: readonly PlannedRun[]): Promise<RunsByState> {
  const done: PlannedRun[] = [];
  const waiting: PlannedRun[] = [];
  for (const run of all) {
    const own = runFolder(folder, run.id);
    const record = await readRecordToCarryOut(own);
    (isFinished(record) ? done : waiting).push(run);
    if (!isFinished(record)) continue;
    await checkFile(own, record, RUN_FILES.journal); // before hours of work; arrays are checked with the table
    await releaseGone(own); // which was killed as it had just finished
  }
  return { all, done, waiting };
}

async function runAll(
  folder: string,
  { all: runs, done, waiting }: RunsByState,
  runner: Runner,
  { onProgress, onWaiting, signal, isPart }: StudyHooks & { readonly isPart: boolean },
): Promise<Omit<StudyOutcome, "hasTable">> {
  const batches = runner.batches ? [...(await runner.batches(waiting))] : waiting.map((run) => [run]);
  const looksAhead = runner.prefetch !== undefined;
  const clock = new StudyClock(runs);
  for (const run of done) clock.finish(run);
  const failed: { id: string; error: Error }[] = [];
  const held: PlannedRun[] = [];
  let unwritable: FileError | undefined;
  const data = generatedData(looksAhead ? threadsBesideTraining() : undefined);
  const report = () => onProgress?.(clock.progress());
  report();

  const reach = (run: PlannedRun, round: number) => {
    clock.reach(run, round);
    report();
  };
  const finish = (run: PlannedRun) => {
    clock.finish(run);
    report();
  };
  const carryOut = async (batch: readonly PlannedRun[]) => {
    for (const run of batch) await data.of(run);
    if (signal?.aborted) throw new Stopped();
    return runner.run(batch, reach, finish);
  };
  const settle = (run: PlannedRun, outcome: PromiseSettledResult<unknown>) => {
    if (outcome.status === "fulfilled") clock.finish(run);
    else if (outcome.reason instanceof FileError) {
      unwritable = outcome.reason;
      runner.stop();
      data.stop();
    } else if (outcome.reason instanceof HeldElsewhere) held.push(run);
    else if (!(outcome.reason instanceof Stopped)) failed.push({ id: run.id, error: outcome.reason });
  };

  /** Leaves in a run's folder why it failed, for reports; where that cannot be written, the run is just not finished. */
  const keepFailure = async ({ id }: PlannedRun, outcome: PromiseSettledResult<unknown>) => {
    if (outcome.status === "fulfilled") return;
    const { reason } = outcome;
    if ([FileError, Stopped, HeldElsewhere].some((kind) => reason instanceof kind)) return;
    await writeFailure(runFolder(folder, id), id, reason).catch(() => undefined);
  };

  /** Takes one batch after another until none is left. */
  async function work(): Promise<void> {
    while (batches.length > 0 && !signal?.aborted && !unwritable) {
      const batch = batches.shift()!;
      const outcomes = await carryOut(batch).catch((reason) =>
        batch.map(() => ({ status: "rejected", reason }) as const),
      );
      for (const [i, outcome] of outcomes.entries()) await keepFailure(batch[i], outcome);
      outcomes.forEach((outcome, i) => {
        settle(batch[i], outcome);
      });
      report();
    }
  }

  /** Looks at runs that others work on until they are finished, or goes on with them; says which of a part it leaves. */
  async function followOthers(): Promise<string[]> {
    const elsewhere: string[] = [];
    let isSaid = false;
    while (held.length > 0 && !signal?.aborted && !unwritable) {
      const looked = held.splice(0);
      for (const run of looked) {
        const own = runFolder(folder, run.id);
        const lock = await lockState(own);
        if (isFinished(await readRunRecord(own))) finish(run);
        else if (!lock?.alive) batches.push([run]);
        else if (isPart && lock.alive !== "heartbeat") elsewhere.push(run.id);
        else held.push(run);
      }
      if (batches.length > 0) await work();
      if (held.length === 0) break;
      if (!isSaid) onWaiting?.(await waitingWords(folder, held));
      isSaid = true;
      await pause(LOOK_AGAIN + 10 * held.length, undefined, { signal }).catch(() => undefined);
    }
    return elsewhere;
  }

  let elsewhere: readonly string[];
  signal?.addEventListener("abort", data.stop);
  try {
    // While some runs are trained, the data of those that wait for them are generated.
    if (looksAhead) for (const run of batches.flat()) void data.of(run);
    await Promise.all(Array.from({ length: runner.jobs + (runner.prefetch ?? 0) }, work));
    elsewhere = await followOthers();
  } finally {
    signal?.removeEventListener("abort", data.stop);
    data.stop();
  }
  const { finished } = clock.progress();
  if (unwritable)
    throw new FileError(
      `${unwritable.message} (${finished} of ${runs.length} runs are finished and saved: run the same command to resume)`,
    );
  return { runs: runs.length, finished, failed, elsewhere, stopped: signal?.aborted ?? false };
}

/** What a study waits for. */
async function waitingWords(folder: string, runs: readonly PlannedRun[]): Promise<string> {
  const locks = await Promise.all(runs.map(({ id }) => lockState(runFolder(folder, id))));
  const who = [...new Set(locks.flatMap((lock) => (lock ? [holderWords(lock.holder)] : [])))];
  const whom = who.length > 3 ? `${who.length} processes` : who.join(", ");
  return `waiting for ${runs.length} run${runs.length === 1 ? "" : "s"} of ${whom || "another process"}`;
}

/**
 * Warnings about the files of data that runs read, each file once for each way to normalise it. Throws the reason where
 * none of the runs can be trained on its data; where some can, the others say why as they fail.
 */
async function checkData(
  runs: readonly PlannedRun[],
  memory: number | undefined,
): Promise<readonly string[]> {
  const files = new Map(
    runs.map(({ options }) => [JSON.stringify([options.data, options.normalise]), options]),
  );
  const all: DataRemarks[] = [];
  for (const options of files.values()) all.push(await dataRemarks(options, { memory }));
  const [first] = all;
  if (first?.refusal && all.every(({ refusal }) => refusal)) throw first.refusal;
  return all.flatMap(({ warnings }) => warnings);
}

/**
 * Generates data by so many threads, all cores by default, until it is told to stop: those of a run once for all that
 * share them. Where that fails the runs say so, as they ask for them.
 */
function generatedData(threads: number | undefined) {
  const end = new AbortController();
  const { signal } = end;
  const begun = new Map<string, Promise<void>>();
  let last = Promise.resolve();
  return {
    of({ options }: PlannedRun): Promise<void> {
      if (options.data) return Promise.resolve();
      const { task, parameters, dataSeed: seed, train, test } = options;
      const key = JSON.stringify([task, parameters, seed, train, test]);
      // One after another, since each takes all threads.
      if (!begun.has(key)) {
        last = last.then(async () => {
          if (signal.aborted) return;
          const given = { task, parameters, seed, train, test };
          await prepareDataset(given, { threads, signal }).catch(() => undefined);
        });
        begun.set(key, last);
      }
      return begun.get(key)!;
    },
    stop: () => end.abort(),
  };
}
