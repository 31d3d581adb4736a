import { type Environment, type Scheduler, wholeNumberIn } from "../scheduler.js";
import { askSlurm, needSlurm } from "./slurm-command.js";
import { slurmQueue } from "./slurm-queue.js";

/** Slurm: `sbatch --array=1-8`. Tasks of an array are named as its commands name them, `1234_5`. */
export const slurm: Scheduler = {
  title: "Slurm",
  job(environment) {
    const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task, SLURM_JOB_ID: job } = environment;
    return array !== undefined && task !== undefined ? `${array}_${task}` : job;
  },
  arrayTask(environment) {
    const number = (name: string) => wholeNumberIn(environment, `SLURM_ARRAY_TASK_${name}`);
    const [index, first, last, count] = ["ID", "MIN", "MAX", "COUNT"].map(number);
    if (index === undefined) return undefined;
    const hasGaps = first === undefined || last === undefined || last - first + 1 !== count;
    return { index, variable: "SLURM_ARRAY_TASK_ID", first, count: hasGaps ? undefined : count };
  },
  restarts: (environment) => wholeNumberIn(environment, "SLURM_RESTART_COUNT") ?? 0,
  granted: (environment) => ({
    cores:
      wholeNumberIn(environment, "SLURM_CPUS_PER_TASK") ?? wholeNumberIn(environment, "SLURM_CPUS_ON_NODE"),
    gpus: wholeNumberIn(environment, "SLURM_GPUS_ON_NODE") ?? listed(environment, "SLURM_JOB_GPUS") ?? 0,
  }),
  async isAlive(job) {
    const { isDone, output, message } = await askSlurm("squeue", [
      "--noheader",
      "--format=%T",
      `--jobs=${job}`,
    ]);
    if (isDone) return output.trim() !== "";
    // A job is forgotten some minutes after its end. Whatever else squeue says is no proof of anything.
    return /invalid job id/i.test(message) ? false : undefined;
  },
  async requeue(job) {
    await needSlurm("scontrol", ["requeue", job]);
  },
  queue: slurmQueue,
};

/** How many entries a list has: `0,1`. */
function listed(environment: Environment, name: string): number | undefined {
  const text = environment[name];
  return text === undefined ? undefined : text.split(",").filter(Boolean).length;
}
