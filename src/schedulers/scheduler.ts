import type { JobQueue } from "./job-queue.js";

/** Environment variables of a process, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The place of a task in an array of tasks, as its scheduler numbers them. */
export interface ArrayTask {
  readonly index: number;
  /** The variable that says so, for messages. */
  readonly variable: string;
  /** The index of the array's first task; undefined where its user chooses it and no variable tells. */
  readonly first: number | undefined;
  /** The number of tasks; undefined where no variable tells, or where the indices have gaps. */
  readonly count: number | undefined;
}

/** What a scheduler gave a job on this machine; undefined where it does not say. */
export interface Granted {
  readonly cores: number | undefined;
  readonly gpus: number | undefined;
}

/** A job as locks name it. */
export interface JobName {
  /** Its name in the list of schedulers. */
  readonly scheduler: string;
  readonly id: string;
  /** How often the scheduler has started it again. */
  readonly restarts: number;
}

/** A program that runs jobs on the machines of a cluster, seen from within a job. */
export interface Scheduler {
  readonly title: string;
  /** The job that a process belongs to; undefined outside of this scheduler's jobs. */
  job(environment: Environment): string | undefined;
  /** Which task of an array a process is; undefined where it is none. */
  arrayTask(environment: Environment): ArrayTask | undefined;
  granted(environment: Environment): Granted;
  /** How often this job was started again under the same name; 0 where the scheduler does not say. */
  restarts?(environment: Environment): number;
  /**
   * Whether a job still runs or waits: `false` only where the scheduler is certain that it is gone; undefined where it
   * cannot be asked from here.
   */
  isAlive?(job: string): Promise<boolean | undefined>;
  /** Puts this process's own job back into the queue. Its processes are told to end at once: save everything first. */
  requeue?(job: string): Promise<void>;
  /** Where it takes work from this program. */
  readonly queue?: JobQueue;
}

/** The whole number in a variable, undefined where it holds none. */
export function wholeNumberIn(environment: Environment, name: string): number | undefined {
  const text = environment[name]?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
