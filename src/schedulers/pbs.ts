import { type Scheduler, wholeNumberIn } from "./scheduler.js";

const INDICES = ["PBS_ARRAY_INDEX", "PBS_ARRAYID"] as const;

/** PBS Professional, OpenPBS and Torque: `qsub -J 1-8`, `qsub -t 1-8`. The user chooses the first index. */
export const pbs: Scheduler = {
  title: "PBS",
  job: (environment) => environment.PBS_JOBID,
  arrayTask(environment) {
    const variable = INDICES.find((name) => wholeNumberIn(environment, name) !== undefined);
    if (variable === undefined) return undefined;
    return { index: wholeNumberIn(environment, variable)!, variable, first: undefined, count: undefined };
  },
  granted: (environment) => ({
    cores: wholeNumberIn(environment, "NCPUS") ?? wholeNumberIn(environment, "PBS_NUM_PPN"),
    gpus: undefined,
  }),
};
