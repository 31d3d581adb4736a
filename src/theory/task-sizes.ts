import { type TaskName, taskOf } from "../datasets/tasks.js";
import type { GivenRunOptions } from "../federation/run-options.js";

type Sizes = Pick<GivenRunOptions, "train" | "test" | "minSize" | "parameters">;

/**
 * Samples and grids at which all checks of a task take minutes on two cores: exact Hessian products in double
 * precision are a matter of the operator's activations. Tasks that are not named have the paper's sizes.
 */
const SMALL: Readonly<Partial<Record<TaskName, Sizes>>> = {
  burgers: { train: 160, test: 80 },
  "diffusion-reaction": { train: 160, test: 80 },
  darcy: { train: 160, test: 80, parameters: { grid: 32 } },
  "dam-break": { train: 160, test: 80, parameters: { grid: 32 } },
  cylinder: { train: 160, test: 80, parameters: { grid: 32 } },
  "flat-velocity": { train: 160, test: 80, parameters: { stride: 8 } },
};

/** The sizes of a check: what was given, else what takes minutes; clients small enough that twenty fit. */
export function theorySizes(task: TaskName, given: Sizes): Sizes {
  const small = SMALL[task] ?? {};
  const stated = Object.entries(given.parameters ?? {}).filter(([, value]) => value !== undefined);
  const train = given.train ?? small.train ?? taskOf(task).train;
  return {
    train,
    test: given.test ?? small.test,
    minSize: given.minSize ?? Math.max(1, Math.min(taskOf(task).minSize, Math.floor(train / 40))),
    parameters: { ...small.parameters, ...Object.fromEntries(stated) },
  };
}
