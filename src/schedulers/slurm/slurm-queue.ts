import type { JobQueue, JobRequest, JobState, SubmittedArray } from "../job-queue.js";
import { batchScript } from "./batch-script.js";
import { askSlurm, needSlurm } from "./slurm-command.js";
import { taskRanges } from "./task-ranges.js";

/** `MaxArraySize` where Slurm's configuration does not say. */
const USUAL_ARRAY_SIZE = 1001;
/** States in which a task holds its machine, or is about to give it back. */
const ON_A_MACHINE = [
  "RUNNING",
  "COMPLETING",
  "CONFIGURING",
  "SUSPENDED",
  "STOPPED",
  "SIGNALING",
  "STAGE_OUT",
];

/** Slurm as a queue: sbatch submits arrays, and squeue says where their tasks stand. */
export const slurmQueue: JobQueue = {
  script: batchScript,

  async commands(script, parts, request) {
    let assumption: string | undefined;
    const most = await mostTasks().catch(({ message }: Error) => {
      assumption = `MaxArraySize is taken to be ${USUAL_ARRAY_SIZE}, since ${message}`;
      return USUAL_ARRAY_SIZE - 1;
    });
    const arrays = arraysOf(parts, most, request);
    return { commands: arrays.map((array) => ["sbatch", ...wordsOf(array, script)]), assumption };
  },

  async submit(script, parts, request) {
    const submitted: SubmittedArray[] = [];
    for (const array of arraysOf(parts, await mostTasks(), request)) {
      try {
        const said = await needSlurm("sbatch", ["--parsable", ...wordsOf(array, script)]);
        submitted.push({ job: said.trim().split(";")[0], offset: array.offset, parts: array.parts });
      } catch (error) {
        if (submitted.length > 0) await slurmQueue.cancel(submitted.map(({ job }) => job));
        throw error;
      }
    }
    return submitted;
  },

  async standings(arrays) {
    const standings = new Map<number, JobState>();
    if (arrays.length === 0) return standings;
    const jobs = `--jobs=${arrays.map(({ job }) => job).join(",")}`;
    const { isDone, output, message } = await askSlurm("squeue", [
      ...["--noheader", "--array", "--format=%F %K %T %r", jobs],
    ]);
    if (!isDone && !/invalid job id/i.test(message)) throw new Error(`squeue: ${message}`);
    const offsets = new Map(arrays.map(({ job, offset }) => [job, offset]));
    for (const line of output.split("\n")) {
      const [job, task, state, ...reason] = line.trim().split(/\s+/);
      const offset = offsets.get(job);
      if (offset === undefined || !/^\d+$/.test(task)) continue;
      standings.set(Number(task) + offset, stateOf(state, reason.join(" ")));
    }
    return standings;
  },

  async cancel(jobs) {
    await needSlurm("scancel", jobs);
  },
};

function stateOf(state: string, reason: string): JobState {
  if (ON_A_MACHINE.includes(state)) return "running";
  return /held/i.test(reason) ? "held" : "queued"; // by its user or an administrator, or after its start failed
}

/** An array to submit. */
interface PlannedArray {
  readonly offset: number;
  readonly parts: readonly number[];
  /** Tasks of it that may run at once. */
  readonly atOnce: number | undefined;
}

/** Arrays whose tasks have numbers that the cluster takes. What may run at once is shared out among them. */
function arraysOf(parts: readonly number[], most: number, { atOnce }: JobRequest): PlannedArray[] {
  const byArray = new Map<number, number[]>();
  for (const part of parts) {
    const offset = Math.floor((part - 1) / most) * most;
    byArray.set(offset, [...(byArray.get(offset) ?? []), part]);
  }
  const each = atOnce && Math.max(1, Math.floor(atOnce / byArray.size));
  return [...byArray].map(([offset, own]) => ({ offset, parts: own, atOnce: each }));
}

function wordsOf({ offset, parts, atOnce }: PlannedArray, script: string): string[] {
  const ranges = taskRanges(parts.map((part) => part - offset));
  return [`--array=${ranges}${atOnce ? `%${atOnce}` : ""}`, script, `${offset}`];
}

/** The largest number that a task may have: one less than `MaxArraySize`. */
async function mostTasks(): Promise<number> {
  const configuration = await needSlurm("scontrol", ["show", "config"]);
  const [, size = USUAL_ARRAY_SIZE] = /^MaxArraySize\s*=\s*(\d+)/m.exec(configuration) ?? [];
  return Math.max(1, Number(size) - 1);
}
