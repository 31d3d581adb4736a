import type { TaskData } from "../../federation/federated-problem.js";
import type { RunOptions } from "../../federation/run-options.js";

/** What predictions are checked on: the data, the operator and the bins of a task, and how they would be trained. */
export interface TheorySetting {
  /** Task, sizes, seed, clients K, smallest client and model; `alpha` is what each check makes of it. */
  readonly options: RunOptions;
  readonly data: TaskData;
}

/** Told how far a check is. */
export type OnProgress = (done: number, total: number) => void;

/** A setting as far as its bins: all that partitions and transport need. */
export type BinSetting = Pick<TheorySetting, "options"> & {
  readonly data: Pick<TheorySetting["data"], "bins">;
};
