import { type TaskName, taskOf } from "../../datasets/tasks.js";
import type { GivenRunOptions } from "../../federation/run-options.js";

type Sizes = Pick<
  GivenRunOptions,
  "train" | "test" | "minSize" | "parameters" | "clients" | "bins" | "model"
>;

/** FNO2D has millions of parameters as the paper has it, most of them for frequencies that a small grid lacks. */
const SMALL_FNO = { width: 8, modes: 4, layers: 2, projection: 16 };

/**
 * Samples, grids and operators at which all checks of a task, data included, take two to three minutes on two cores:
 * exact Hessian products in double precision are a matter of the operator's activations. No more samples are generated
 * than are used. Tasks that are not named have the paper's sizes.
 */
const SMALL: Readonly<Partial<Record<TaskName, Sizes>>> = {
  burgers: { train: 120, test: 60, bins: 6, clients: 4, model: { width: 24 } },
  "diffusion-reaction": { train: 120, test: 60, bins: 6, clients: 4, model: { width: 24 } },
  darcy: { train: 60, test: 30, bins: 6, clients: 4, parameters: { grid: 32 }, model: SMALL_FNO },
  "dam-break": { train: 60, test: 30, bins: 6, clients: 4, parameters: { grid: 32 }, model: SMALL_FNO },
  // A coarser lattice, which lower Reynolds numbers allow, takes an eighth of the time.
  cylinder: {
    train: 40,
    test: 20,
    bins: 5,
    clients: 4,
    parameters: { grid: 32, resolution: 10, reynoldsMax: 200 },
    model: SMALL_FNO,
  },
  "flat-velocity": {
    train: 6,
    test: 3,
    bins: 3,
    clients: 2,
    parameters: { stride: 8 },
    model: { width: 2 },
  },
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
    clients: given.clients ?? small.clients,
    bins: given.bins ?? small.bins,
    model: given.model ?? small.model,
  };
}
