import { prepareDataset } from "../datasets/generated-file.js";
import { FileError } from "../errors.js";
import { lockFolder } from "../files/folder-lock.js";
import { isFinished, readRunRecord, runFolder } from "../records/run-folder.js";
import { writeRecords } from "./collect-records.js";
import type { PlannedRun, StudyPlan } from "./plan.js";
import { StudyClock, type StudyProgress } from "./progress.js";
import { type Runner, Stopped } from "./runner.js";
import { writeStudy } from "./study-file.js";

export interface StudyHooks {
  readonly onProgress?: (progress: StudyProgress) => void;
  /** Stops the study: the runs at hand save their states. */
  readonly signal?: AbortSignal;
}

export interface StudyOutcome {
  readonly runs: number;
  readonly finished: number;
  /** Runs that could not be finished, and why. */
  readonly failed: readonly { readonly id: string; readonly error: Error }[];
  readonly stopped: boolean;
}

/**
 * Carries out a study in a folder, or goes on with it; finished runs are never redone. A run that fails does not keep
 * the others from being made, unless nothing can be written any more. In the end the seed-level table is written.
 */
export async function runStudy(
  folder: string,
  plan: StudyPlan,
  startRunner: (folder: string) => Runner,
  hooks: StudyHooks = {},
): Promise<StudyOutcome> {
  const release = await lockFolder(folder);
  try {
    await writeStudy(folder, plan);
    const runner = startRunner(folder);
    const stop = () => runner.stop();
    hooks.signal?.addEventListener("abort", stop);
    try {
      const outcome = await runAll(folder, plan, runner, hooks);
      if (!outcome.stopped) await writeRecords(folder);
      return outcome;
    } finally {
      hooks.signal?.removeEventListener("abort", stop);
      await runner.close();
    }
  } finally {
    await release();
  }
}

async function runAll(
  folder: string,
  { runs }: StudyPlan,
  runner: Runner,
  { onProgress, signal }: StudyHooks,
): Promise<StudyOutcome> {
  const clock = new StudyClock(runs, runner.jobs);
  const waiting: PlannedRun[] = [];
  for (const run of runs) {
    if (isFinished(await readRunRecord(runFolder(folder, run.id)).catch(() => undefined))) clock.finish(run);
    else waiting.push(run);
  }
  const failed: { id: string; error: Error }[] = [];
  let unwritable: FileError | undefined;
  const prepared = preparation();
  const report = () => onProgress?.(clock.progress());
  report();

  /** Takes one run after another until none is left. */
  async function work(): Promise<void> {
    while (waiting.length > 0 && !signal?.aborted && !unwritable) {
      const run = waiting.shift()!;
      try {
        await prepared(run);
        await runner.run(run, (round) => {
          clock.reach(run, round);
          report();
        });
        clock.finish(run);
        report();
      } catch (error) {
        if (error instanceof Stopped) return;
        if (error instanceof FileError) {
          unwritable = error;
          runner.stop();
        } else failed.push({ id: run.id, error: error as Error });
      }
    }
  }

  await Promise.all(Array.from({ length: runner.jobs }, work));
  const { finished } = clock.progress();
  if (unwritable)
    throw new FileError(
      `${unwritable.message} (${finished} of ${runs.length} runs are finished and kept: the same command goes on)`,
    );
  return { runs: runs.length, finished, failed, stopped: signal?.aborted ?? false };
}

/** Generates the data of a run, once for all that share them. */
function preparation(): (run: PlannedRun) => Promise<void> {
  const begun = new Map<string, Promise<void>>();
  let last = Promise.resolve();
  return ({ options }) => {
    if (options.data) return Promise.resolve();
    const { task, parameters, dataSeed: seed, train, test } = options;
    const key = JSON.stringify([task, parameters, seed, train, test]);
    // One after another, since each takes all cores.
    if (!begun.has(key)) {
      last = last.then(() => prepareDataset({ task, parameters, seed, train, test }));
      begun.set(key, last);
    }
    return begun.get(key)!;
  };
}
