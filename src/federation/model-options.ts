import { type ModelName, taskOf } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { type ParameterLayout, parameterCount } from "../models/parameter-layout.js";
import { mostModes } from "../models/truncated-fourier.js";
import type { RunOptions } from "./run-options.js";
import { taskOperator } from "./task-operator.js";

/** Least value of each whole number that may be chosen of a model, or the words that an option takes. */
export const MODEL_OPTIONS: Readonly<
  Record<ModelName, Readonly<Record<string, number | readonly string[]>>>
> = {
  deeponet: { width: 1, depth: 1, activation: ["relu", "tanh", "gelu"] },
  fno2d: { width: 1, modes: 1, layers: 1, projection: 1, padding: 0, activation: ["gelu", "relu", "tanh"] },
  // Batch normalisation is left to the library: samples that fill up a batch would count in its statistics.
  "inversion-net": { width: 1, normalisation: ["none", "group"], activation: ["leaky-relu", "tanh", "gelu"] },
};

/** Layers are listed one by one, so their number has a limit of its own. */
const largest = (option: string) => (option === "depth" || option === "layers" ? 1000 : 1_000_000);

/** Numbers of a vector of all clients: 4 GiB in float32. Training holds several of them. */
const MOST_NUMBERS = 2 ** 30;

/** Refuses options that the task's model does not have or cannot take, before data are made for it. */
export function checkModel({ task, model, parameters, data, clients }: RunOptions): void {
  const { model: name, geometry } = taskOf(task);
  const known = MODEL_OPTIONS[name];
  for (const [option, value] of Object.entries(model)) {
    if (!Object.hasOwn(known, option))
      throw new OptionError(`the model has no option "${option}"; it has ${Object.keys(known).join(", ")}`);
    const allowed = known[option];
    const fits =
      typeof allowed === "number"
        ? Number.isSafeInteger(value) && (value as number) >= allowed && (value as number) <= largest(option)
        : allowed.includes(value as string);
    const words =
      typeof allowed === "number"
        ? `a whole number from ${allowed} to ${largest(option)}`
        : `one of ${allowed.join(", ")}`;
    if (!fits) throw new OptionError(`the model's ${option} is ${words}, not ${JSON.stringify(value)}`);
  }
  if (data) return; // the shapes that it has are checked when it is read
  if (name === "fno2d") checkModes(model, geometry(parameters).responseShape);
  if (Object.keys(model).length > 0)
    checkParameters(taskOperator({ task, model }, geometry(parameters)).layout, clients);
}

/** Refuses a model whose parameters and optimiser states do not fit into memory. */
export function checkParameters(layout: ParameterLayout, clients: number): void {
  const count = parameterCount(layout);
  if (count * clients <= MOST_NUMBERS) return;
  throw new OptionError(
    `a model of ${count.toPrecision(3)} parameters for ${clients} clients is too large: ` +
      `clients and parameters may make ${MOST_NUMBERS.toPrecision(3)} together; take a smaller width or depth`,
  );
}

/** Refuses more frequencies than a grid has. */
function checkModes(model: RunOptions["model"], responseShape: readonly number[]): void {
  const { modes = 12, padding = 0 } = model as { modes?: number; padding?: number };
  const [rows, columns] = responseShape.slice(-2);
  const most = mostModes([rows + padding, columns + padding]);
  if (modes > most)
    throw new OptionError(
      `a grid of ${rows} x ${columns} points has ${most} modes at most, not ${modes}: take fewer (modes=${most}) or a finer grid`,
    );
}
