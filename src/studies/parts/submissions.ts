import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FileError } from "../../errors.js";
import { writeOutputs } from "../../files/disk.js";
import { readReplaceable } from "../../files/stale-handles.js";
import type { JobQueue, JobState, SubmittedArray } from "../../schedulers/job-queue.js";
import { SCHEDULERS } from "../../schedulers/schedulers.js";

/** Where a study keeps what was submitted to a cluster: scripts, what the scheduler answered, and the output of tasks. */
export const JOBS = "jobs";
const RECORD = /^(\d+)\.json$/;

const submissionSchema = z.object({
  scheduler: z.string(),
  /** Parts that the study was cut into. */
  parts: z.int().positive(),
  submitted: z.string(),
  arrays: z.array(
    z.object({ job: z.string(), offset: z.int().nonnegative(), parts: z.array(z.int().positive()) }),
  ),
});
/** Arrays of jobs that were submitted together. */
export type Submission = z.infer<typeof submissionSchema>;

/** What was submitted for a study, the earliest first. */
export async function readSubmissions(folder: string): Promise<Submission[]> {
  const names = await readdir(join(folder, JOBS)).catch(() => []);
  const numbers = names.flatMap((name) => RECORD.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(
    numbers
      .sort((a, b) => a - b)
      .map(async (number) => {
        const path = join(folder, JOBS, `${number}.json`);
        try {
          return submissionSchema.parse(JSON.parse(await readReplaceable(path)));
        } catch {
          throw new FileError(
            `${path} is damaged: it says which jobs were submitted; delete it once they are over`,
          );
        }
      }),
  );
}

/** Files of the next submission of a study. */
export function submissionPaths(
  folder: string,
  before: readonly Submission[],
): { readonly script: string; readonly record: string; readonly logs: string } {
  const own = join(folder, JOBS, `${before.length + 1}`);
  return { script: `${own}.sh`, record: `${own}.json`, logs: join(folder, JOBS, "logs") };
}

export async function writeSubmission(path: string, submission: Submission): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(submission, undefined, 1)}\n`);
  await writeOutputs([{ path, bytes }], { force: true });
}

/** The queue that a submission is in. */
export function queueOf({ scheduler }: Pick<Submission, "scheduler">): JobQueue {
  const queue = Object.hasOwn(SCHEDULERS, scheduler) ? SCHEDULERS[scheduler].queue : undefined;
  if (!queue) throw new FileError(`jobs were submitted to ${scheduler}, which this version cannot ask`);
  return queue;
}

/** Parts that wait in a queue or run, of submissions that were cut alike. */
export async function submittedParts(
  submissions: readonly Submission[],
): Promise<ReadonlyMap<number, JobState>> {
  const standings = new Map<number, JobState>();
  const schedulers = new Set(submissions.map(({ scheduler }) => scheduler));
  for (const scheduler of schedulers) {
    const arrays = arraysOf(submissions.filter((one) => one.scheduler === scheduler));
    for (const [part, state] of await queueOf({ scheduler }).standings(arrays)) standings.set(part, state);
  }
  return standings;
}

export function arraysOf(submissions: readonly Submission[]): SubmittedArray[] {
  return submissions.flatMap(({ arrays }) => arrays);
}
