import { availableParallelism } from "node:os";
import { prepareDataset } from "../datasets/generated-file.js";
import { FileError } from "../errors.js";
import { type DataRemarks, dataRemarks } from "../federation/prepared-data.js";
import { folderAbove, removeEmptyFolders, writeOutputs } from "../files/disk.js";
import { lockFolder, releaseGone } from "../files/folder-lock.js";
import { writeFailure } from "../records/run-failure.js";
import { checkFile, isFinished, RUN_FILES, readRecordToCarryOut, runFolder } from "../records/run-folder.js";
import { writeRecords } from "./collect-records.js";
import type { Runner } from "./execution/runner.js";
import { Stopped } from "./execution/stopped.js";
import { allRuns, type PlannedRun, type StudyPlan } from "./plan.js";
import { StudyClock, type StudyProgress } from "./progress.js";
import { studyFiles } from "./study-file.js";

/** Threads that generate data beside a training: they leave it a core, and are no single one, which would be its own. */
const THREADS_BESIDE_TRAINING = Math.max(2, availableParallelism() - 1);

export interface StudyHooks {
  readonly onProgress?: (progress: StudyProgress) => void;
  /** Called before training with what should not be missed about files of data. */
  readonly onWarning?: (message: string) => void;
  /** Stops the study: the runs at hand save their states. */
  readonly signal?: AbortSignal;
  /** The command line that asks for it, kept for reports. */
  readonly command?: string;
}

export interface StudyOutcome {
  readonly runs: number;
  readonly finished: number;
  /** Runs that could not be finished, and why. */
  readonly failed: readonly { readonly id: string; readonly error: Error }[];
  readonly stopped: boolean;
}

/**
 * Trains one study, or several that share runs, in a folder, or resumes them. It never repeats finished runs. If a run
 * fails, the others continue, unless the folder cannot be written. At the end it writes the seed-level table. Where no
 * run can be trained on its data, nothing is written.
 */
export async function runStudy(
  folder: string,
  plan: StudyPlan | readonly StudyPlan[],
  startRunner: (folder: string) => Runner,
  hooks: StudyHooks = {},
): Promise<StudyOutcome> {
  const plans = [plan].flat();
  const above = await folderAbove(folder);
  const release = await lockFolder(folder);
  try {
    const files = await studyFiles(folder, plans, hooks);
    const runner = startRunner(folder);
    const stop = () => runner.stop();
    hooks.signal?.addEventListener("abort", stop);
    try {
      const runs = await runsByState(folder, allRuns(plans));
      const warnings = await checkData(runs.waiting, runner.dataMemory);
      await writeOutputs(files, { force: true });
      for (const warning of warnings) hooks.onWarning?.(warning);
      const outcome = await runAll(folder, runs, runner, hooks);
      if (!outcome.stopped) await writeRecords(folder);
      return outcome;
    } finally {
      hooks.signal?.removeEventListener("abort", stop);
      await runner.close();
    }
  } finally {
    await release();
    await removeEmptyFolders(folder, above);
  }
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
  { onProgress, signal }: StudyHooks,
): Promise<StudyOutcome> {
  const batches = runner.batches ? [...(await runner.batches(waiting))] : waiting.map((run) => [run]);
  const looksAhead = runner.prefetch !== undefined;
  const clock = new StudyClock(runs);
  for (const run of done) clock.finish(run);
  const failed: { id: string; error: Error }[] = [];
  let unwritable: FileError | undefined;
  const data = generatedData(looksAhead ? THREADS_BESIDE_TRAINING : undefined);
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
    } else if (!(outcome.reason instanceof Stopped)) failed.push({ id: run.id, error: outcome.reason });
  };

  /** Leaves in a run's folder why it failed, for reports; where that cannot be written, the run is just not finished. */
  const keepFailure = async ({ id }: PlannedRun, outcome: PromiseSettledResult<unknown>) => {
    if (outcome.status === "fulfilled") return;
    const { reason } = outcome;
    if (reason instanceof FileError || reason instanceof Stopped) return;
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

  signal?.addEventListener("abort", data.stop);
  try {
    // While some runs are trained, the data of those that wait for them are generated.
    if (looksAhead) for (const run of batches.flat()) void data.of(run);
    await Promise.all(Array.from({ length: runner.jobs + (runner.prefetch ?? 0) }, work));
  } finally {
    signal?.removeEventListener("abort", data.stop);
    data.stop();
  }
  const { finished } = clock.progress();
  if (unwritable)
    throw new FileError(
      `${unwritable.message} (${finished} of ${runs.length} runs are finished and saved: run the same command to resume)`,
    );
  return { runs: runs.length, finished, failed, stopped: signal?.aborted ?? false };
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
