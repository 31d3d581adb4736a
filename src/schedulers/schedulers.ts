import { kubernetes } from "./kubernetes.js";
import { lsf } from "./lsf.js";
import { pbs } from "./pbs.js";
import type { ArrayTask, Environment, Granted, JobName, Scheduler } from "./scheduler.js";
import { slurm } from "./slurm/slurm.js";

/** Schedulers whose jobs are recognised, by the name that locks and messages have. */
export const SCHEDULERS: Readonly<Record<string, Scheduler>> = { slurm, pbs, lsf, kubernetes };

/** The job that this process belongs to; undefined outside of a cluster. */
export function ownJob(environment: Environment = process.env): JobName | undefined {
  for (const [scheduler, { job, restarts }] of Object.entries(SCHEDULERS)) {
    const id = job(environment);
    if (id !== undefined) return { scheduler, id, restarts: restarts?.(environment) ?? 0 };
  }
  return undefined;
}

/** A job in words: `Slurm job 1234_5`. */
export function jobWords({ scheduler, id }: Pick<JobName, "scheduler" | "id">): string {
  return `${entryOf(scheduler)?.title ?? scheduler} job ${id}`;
}

/** The place of this process in an array of tasks; undefined where it is in none. */
export function ownArrayTask(environment: Environment = process.env): ArrayTask | undefined {
  for (const { arrayTask } of Object.values(SCHEDULERS)) {
    const task = arrayTask(environment);
    if (task) return task;
  }
  return undefined;
}

/** What this process's job was given; undefined outside of a cluster. */
export function ownGrant(environment: Environment = process.env): Granted | undefined {
  const job = ownJob(environment);
  return job && SCHEDULERS[job.scheduler].granted(environment);
}

/** Whether a job still runs or waits; undefined where nobody can tell from here. */
export async function isJobAlive({
  scheduler,
  id,
}: Pick<JobName, "scheduler" | "id">): Promise<boolean | undefined> {
  return entryOf(scheduler)?.isAlive?.(id);
}

/** Puts this process's own job back into the queue; undefined where its scheduler does not do so on request. */
export function requeueOwnJob(environment: Environment = process.env): (() => Promise<void>) | undefined {
  const job = ownJob(environment);
  const requeue = job && SCHEDULERS[job.scheduler].requeue;
  return requeue && (() => requeue(job.id));
}

function entryOf(scheduler: string): Scheduler | undefined {
  return Object.hasOwn(SCHEDULERS, scheduler) ? SCHEDULERS[scheduler] : undefined;
}
