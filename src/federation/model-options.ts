import { taskOf } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { modelOf } from "../models/models.js";
import { type ParameterLayout, parameterCount } from "../models/parameter-layout.js";
import { checkValues } from "../options/option.js";
import type { RunOptions } from "./run-options.js";
import { taskOperator } from "./task-operator.js";

/** Numbers of a vector of all clients: 4 GiB in float32. Training holds several of them. */
const MOST_NUMBERS = 2 ** 30;

/** Refuses options that the task's model does not have or cannot take, before data are made for it. */
export function checkModel({ task, model, parameters, data, clients }: RunOptions): void {
  const { model: name, geometry } = taskOf(task);
  checkValues(modelOf(name).options, model, "the model");
  if (data) return; // the shapes that it has are checked when it is read
  if (Object.keys(model).length > 0)
    checkParameters(taskOperator({ task, model }, geometry(parameters)).layout, clients);
}

/** Refuses a model whose parameters and optimiser states do not fit into memory. */
export function checkParameters(layout: ParameterLayout, clients: number): void {
  const count = parameterCount(layout);
  if (count * clients <= MOST_NUMBERS) return;
  throw new OptionError(
    `a model of ${count.toPrecision(3)} parameters for ${clients} clients is too large: ` +
      `clients times parameters may be at most ${MOST_NUMBERS.toPrecision(3)}; use a smaller width or depth`,
  );
}
