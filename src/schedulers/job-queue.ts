/** What a job asks the cluster for; what is undefined is left to the cluster's own defaults. */
export interface JobRequest {
  /** Longest time of a task, in the scheduler's own form: `2:00:00`. */
  readonly time?: string;
  readonly cpus?: number;
  readonly gpus?: number;
  /** In the scheduler's own form: `16G`. */
  readonly memory?: string;
  readonly partition?: string;
  readonly account?: string;
  /** Tasks that may run at once. */
  readonly atOnce?: number;
  /** Options of the scheduler's own, word by word. */
  readonly extra?: readonly string[];
}

/** A command that each task of an array carries out for another part of the work. */
export interface ArrayJob {
  readonly name: string;
  /** Where the command runs, and where its output goes. */
  readonly folder: string;
  readonly logs: string;
  /** The command as a shell takes it; the shell variable `PART` is the number of the task's part. */
  readonly command: string;
  readonly request: JobRequest;
}

/** An array that was submitted, and the parts that its tasks carry out: task `i` part `i + offset`. */
export interface SubmittedArray {
  readonly job: string;
  readonly offset: number;
  readonly parts: readonly number[];
}

/** Where a task stands; one that is held waits until somebody releases it. */
export type JobState = "queued" | "held" | "running";

export interface SubmitCommands {
  readonly commands: readonly (readonly string[])[];
  /** What had to be assumed of the cluster, a sentence; undefined where it said everything. */
  readonly assumption?: string;
}

/** A scheduler that takes work from this machine. */
export interface JobQueue {
  /** The batch script of an array, the same for all its tasks. */
  script(job: ArrayJob): string;
  /** The commands that submit a script for some parts: several where the cluster's arrays are too short for all. */
  commands(script: string, parts: readonly number[], request: JobRequest): Promise<SubmitCommands>;
  /** Submits a script for some parts, or nothing at all where the scheduler refuses one of its arrays. */
  submit(script: string, parts: readonly number[], request: JobRequest): Promise<readonly SubmittedArray[]>;
  /** Where the tasks of arrays stand by their parts; those that are over are missing. */
  standings(arrays: readonly SubmittedArray[]): Promise<ReadonlyMap<number, JobState>>;
  cancel(jobs: readonly string[]): Promise<void>;
}
