import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { FileError, OptionError } from "../../errors.js";
import { folderAbove, removeEmptyFolders, writeOutputs } from "../../files/disk.js";
import type { ArrayJob, SubmitCommands } from "../../schedulers/job-queue.js";
import { allRuns, type StudyPlan } from "../plan.js";
import { alone, areFinished } from "../study.js";
import { checkStudies, writeStudies } from "../study-file.js";
import { type CutOptions, cutRuns } from "./cut-runs.js";
import {
  queueOf,
  readSubmissions,
  type Submission,
  submissionPaths,
  submittedParts,
  writeSubmission,
} from "./submissions.js";
import { livingWorkers } from "./workers.js";

export interface SubmitOptions extends CutOptions {
  /** The name of the scheduler. */
  readonly scheduler: string;
  /** Parts to cut the study into; by default those of the submission before. */
  readonly parts?: number;
  /** Parts where there was no submission before. */
  readonly usualParts: number;
  /** The command line of the study, kept for reports. */
  readonly command?: string;
  /** What each task carries out, given the number of parts. */
  readonly job: (parts: number) => Omit<ArrayJob, "logs">;
}

/** What would be submitted, or was. */
export interface SubmitPlan {
  /** Parts that the study is cut into. */
  readonly parts: number;
  /** Those that are neither finished, nor in the queue, nor worked on. */
  readonly missing: readonly number[];
  readonly finished: number;
  /** Those that wait in the queue or run. */
  readonly underWay: number;
  readonly script: string;
  readonly scriptPath: string;
}

/** What `submitStudy` would submit. Writes nothing. */
export async function planSubmission(
  folder: string,
  plans: readonly StudyPlan[],
  options: SubmitOptions,
): Promise<SubmitPlan> {
  await checkStudies(folder, plans);
  const before = await readSubmissions(folder);
  const queue = queueOf(options);
  const parts = await chosenParts(folder, before, options);
  const own = before.filter((submission) => submission.parts === parts);
  const standings = await submittedParts(own);
  const busy = new Set(standings.keys());
  for (const { part } of await livingWorkers(folder)) if (part?.of === parts) busy.add(part.index);
  const cut = cutRuns(allRuns(plans), parts, options);
  const missing: number[] = [];
  let finished = 0;
  for (const [i, runs] of cut.entries()) {
    if (await areFinished(folder, runs)) finished++;
    else if (!busy.has(i + 1)) missing.push(i + 1);
  }
  const { script: scriptPath, logs } = submissionPaths(resolve(folder), before);
  const job = { ...options.job(parts), logs };
  return {
    parts,
    missing,
    finished,
    underWay: parts - finished - missing.length,
    script: queue.script(job),
    scriptPath,
  };
}

/** The commands that would submit what is missing. */
export async function submitCommands(
  { parts, missing, scriptPath }: SubmitPlan,
  options: SubmitOptions,
): Promise<SubmitCommands> {
  if (missing.length === 0) return { commands: [] };
  return queueOf(options).commands(scriptPath, missing, options.job(parts).request);
}

/**
 * Submits what is missing of studies to a scheduler. Two processes that submit one study do so one after the other, and the
 * second finds nothing missing. Where the scheduler refuses, nothing is left in the queue.
 */
export async function submitStudy(
  folder: string,
  plans: readonly StudyPlan[],
  options: SubmitOptions,
): Promise<SubmitPlan & { readonly submission: Submission | undefined }> {
  const above = await folderAbove(folder);
  const queue = queueOf(options);
  try {
    return await alone(folder, async () => {
      const plan = await planSubmission(folder, plans, options);
      if (plan.missing.length === 0) return { ...plan, submission: undefined };
      const paths = submissionPaths(resolve(folder), await readSubmissions(folder));
      await mkdir(paths.logs, { recursive: true }); // Slurm kills a job whose output it cannot open
      await writeOutputs([{ path: paths.script, bytes: new TextEncoder().encode(plan.script) }], {
        force: true,
      });
      const { request } = options.job(plan.parts);
      const arrays = await queue.submit(paths.script, plan.missing, request).catch(async (error) => {
        await rm(paths.script, { force: true });
        await removeEmptyFolders(paths.logs, folder);
        throw error;
      });
      const submission: Submission = {
        scheduler: options.scheduler,
        parts: plan.parts,
        submitted: new Date().toISOString(),
        arrays: arrays.map((array) => ({ ...array, parts: [...array.parts] })),
      };
      try {
        await writeSubmission(paths.record, submission);
        await writeStudies(folder, plans, { command: options.command });
      } catch (error) {
        await queue.cancel(arrays.map(({ job }) => job)); // jobs that nobody knows of would be lost
        throw error;
      }
      return { ...plan, submission };
    });
  } finally {
    await removeEmptyFolders(folder, above);
  }
}

/** Jobs of a study that wait or run are cancelled; says how many parts these were. */
export async function cancelStudy(folder: string): Promise<number> {
  let cancelled = 0;
  for (const submission of await readSubmissions(folder)) {
    const queue = queueOf(submission);
    for (const array of submission.arrays) {
      const standings = await queue.standings([array]);
      if (standings.size === 0) continue;
      await queue.cancel([array.job]);
      cancelled += standings.size;
    }
  }
  return cancelled;
}

/** Parts as asked for, or as before. Parts of two cuts at once would wait for each other. */
async function chosenParts(
  folder: string,
  before: readonly Submission[],
  { parts, usualParts }: SubmitOptions,
): Promise<number> {
  if (parts !== undefined && parts < 1)
    throw new OptionError(`--parts is a whole number from 1 on, not ${parts}`);
  const chosen = parts ?? before.at(-1)?.parts ?? usualParts;
  const others = before.filter((submission) => submission.parts !== chosen);
  for (const other of others) {
    if ((await submittedParts([other])).size === 0) continue;
    throw new FileError(
      `${folder} has jobs in the queue that cut it into ${other.parts} parts: leave --parts out, or cancel them first`,
    );
  }
  return chosen;
}
