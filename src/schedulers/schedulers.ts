import { kubernetes } from "./kubernetes.js";
import { lsf } from "./lsf.js";
import { pbs } from "./pbs.js";
import type { ArrayTask, Environment, Granted, JobName, Scheduler } from "./scheduler.js";
import { slurm } from "./slurm/slurm.js";

/** Schedulers whose jobs are recognised, by the name that locks and messages have. */
export const SCHEDULERS: Readonly<Record<string, Scheduler>> = { slurm, pbs, lsf, kubernetes };

/** The job that this process belongs to; undefined outside of a cluster. */
export function ownJob(environment: Environment = process.env): JobName | undefined {
  for (const [scheduler, { job }] of Object.entries(SCHEDULERS)) {
    const id = job(environment);
    if (id !== undefined) return { scheduler, id };
  }
  return undefined;
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
export async function isJobAlive({ scheduler, id }: JobName): Promise<boolean | undefined> {
  const entry = Object.hasOwn(SCHEDULERS, scheduler) ? SCHEDULERS[scheduler] : undefined;
  return entry?.isAlive?.(id);
}
