import { type Scheduler, wholeNumberIn } from "./scheduler.js";

/** IBM Spectrum LSF: `bsub -J "name[1-8]"`. Jobs outside of arrays have index 0. */
export const lsf: Scheduler = {
  title: "LSF",
  job: ({ LSB_JOBID, LSB_JOBINDEX = "0" }) =>
    LSB_JOBID && (LSB_JOBINDEX === "0" ? LSB_JOBID : `${LSB_JOBID}[${LSB_JOBINDEX}]`),
  arrayTask(environment) {
    const index = wholeNumberIn(environment, "LSB_JOBINDEX");
    if (!index) return undefined;
    const count = wholeNumberIn(environment, "LSB_JOBINDEX_END");
    return { index, variable: "LSB_JOBINDEX", first: 1, count };
  },
  granted: (environment) => ({ cores: wholeNumberIn(environment, "LSB_DJOB_NUMPROC"), gpus: undefined }),
};
