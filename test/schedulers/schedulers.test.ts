import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { grantedCores, isWithoutGpu } from "../../src/schedulers/granted.js";
import { jobWords, ownArrayTask, ownGrant, ownJob } from "../../src/schedulers/schedulers.js";

/** What the first task of an array of eight finds in its environment, as each scheduler's manual has it. */
const TASKS = {
  slurm: {
    SLURM_JOB_ID: "1240",
    SLURM_ARRAY_JOB_ID: "1234",
    SLURM_ARRAY_TASK_ID: "5",
    SLURM_ARRAY_TASK_MIN: "1",
    SLURM_ARRAY_TASK_MAX: "8",
    SLURM_ARRAY_TASK_COUNT: "8",
    SLURM_CPUS_PER_TASK: "1",
    SLURM_GPUS_ON_NODE: "1",
    SLURM_RESTART_COUNT: "2",
  },
  pbs: { PBS_JOBID: "1234[5].server", PBS_ARRAY_INDEX: "5", NCPUS: "1" },
  lsf: { LSB_JOBID: "1234", LSB_JOBINDEX: "5", LSB_JOBINDEX_END: "8", LSB_DJOB_NUMPROC: "1" },
  kubernetes: { KUBERNETES_SERVICE_HOST: "10.0.0.1", HOSTNAME: "study-5-x7z", JOB_COMPLETION_INDEX: "5" },
};

describe("a process in a job", () => {
  it.each([
    ["slurm", "1234_5", 2, "Slurm job 1234_5"],
    ["pbs", "1234[5].server", 0, "PBS job 1234[5].server"],
    ["lsf", "1234[5]", 0, "LSF job 1234[5]"],
    ["kubernetes", "study-5-x7z", 0, "Kubernetes job study-5-x7z"],
  ] as const)("knows its job: %s", (scheduler, id, restarts, words) => {
    expect(ownJob(TASKS[scheduler])).toEqual({ scheduler, id, restarts });
    expect(jobWords({ scheduler, id })).toBe(words);
  });

  it("knows its place in an array, and of how many where a variable tells", () => {
    const task = (scheduler: keyof typeof TASKS) => ownArrayTask(TASKS[scheduler]);
    expect(task("slurm")).toMatchObject({ index: 5, first: 1, count: 8 });
    expect(task("pbs")).toMatchObject({ index: 5, first: undefined, count: undefined });
    expect(task("lsf")).toMatchObject({ index: 5, first: 1, count: 8 });
    expect(task("kubernetes")).toMatchObject({ index: 5, first: 0, count: undefined });
  });

  it("takes an array with gaps for one of unknown length: --array=1,5,9 has three tasks, and 9 is not of 3", () => {
    const gaps = { ...TASKS.slurm, SLURM_ARRAY_TASK_MAX: "9", SLURM_ARRAY_TASK_COUNT: "3" };
    expect(ownArrayTask(gaps)).toMatchObject({ index: 5, count: undefined });
  });

  it("is in no array where a job has none", () => {
    expect(ownArrayTask({ SLURM_JOB_ID: "7" })).toBeUndefined();
    expect(ownArrayTask({ LSB_JOBID: "7", LSB_JOBINDEX: "0" })).toBeUndefined();
    expect(ownJob({ LSB_JOBID: "7", LSB_JOBINDEX: "0" })?.id).toBe("7");
    expect(ownArrayTask({})).toBeUndefined();
    expect(ownJob({})).toBeUndefined();
  });

  it("is not misled by variables that hold no number", () => {
    for (const text of ["", "x", "-1", "1.5", "99999999999"])
      expect(ownArrayTask({ ...TASKS.pbs, PBS_ARRAY_INDEX: text }), text).toBeUndefined();
  });
});

describe("what a job was given", () => {
  it("bounds threads, but not beyond the machine", () => {
    expect(grantedCores(TASKS.slurm)).toBe(1);
    expect(grantedCores(TASKS.pbs)).toBe(1);
    expect(grantedCores(TASKS.lsf)).toBe(1);
    expect(grantedCores({ ...TASKS.slurm, SLURM_CPUS_PER_TASK: "4096" })).toBe(availableParallelism());
    expect(grantedCores({ ...TASKS.slurm, SLURM_CPUS_PER_TASK: "0" })).toBe(1);
    expect(grantedCores({})).toBe(availableParallelism());
  });

  it("is no GPU only where Slurm says so", () => {
    expect(isWithoutGpu(TASKS.slurm)).toBe(false);
    expect(isWithoutGpu({ SLURM_JOB_ID: "7" })).toBe(true);
    expect(isWithoutGpu({ SLURM_JOB_ID: "7", SLURM_JOB_GPUS: "0,1" })).toBe(false);
    expect(ownGrant({ SLURM_JOB_ID: "7", SLURM_JOB_GPUS: "0,1" })?.gpus).toBe(2);
    expect(isWithoutGpu(TASKS.pbs)).toBe(false); // PBS does not tell
    expect(isWithoutGpu({})).toBe(false);
  });
});
