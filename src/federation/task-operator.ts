import { type TaskGeometry, taskOf } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import type { DeepOnetSizes } from "../models/deeponet.js";
import { NORMALISATIONS } from "../models/normalisation.js";
import { deepOnetOperator } from "./deeponet-operator.js";
import { fno2dOperator, type InversionNetOptions, inversionNetOperator } from "./field-operators.js";
import type { Operator } from "./operator.js";
import type { RunOptions } from "./run-options.js";

/** Width and depth of the paper's networks (tab:controlled-tasks). */
export const DEEPONETS = {
  antiderivative: { width: 40, depth: 2 },
  burgers: { width: 64, depth: 2 },
  "diffusion-reaction": { width: 100, depth: 3 },
} as const satisfies Readonly<Record<string, Pick<DeepOnetSizes, "width" | "depth">>>;

/** The model that the paper trains on a task, for data of this geometry. */
export function taskOperator(
  { task, model }: Pick<RunOptions, "task" | "model">,
  geometry: Pick<TaskGeometry, "inputShape" | "responseShape" | "coordinates">,
): Operator {
  switch (taskOf(task).model) {
    case "deeponet":
      return taskDeepOnet(task as keyof typeof DEEPONETS, model, geometry);
    case "fno2d":
      return fno2dOperator(geometry, chosen(model, FNO2D_OPTIONS));
    case "inversion-net":
      return inversionNetOperator(geometry, inversionNetOptions(model));
  }
}

const FNO2D_OPTIONS = {
  width: "number",
  modes: "number",
  layers: "number",
  projection: "number",
  padding: "number",
};

function inversionNetOptions(model: RunOptions["model"]): InversionNetOptions {
  const { normalisation, width } = chosen(model, { normalisation: "string", width: "number" });
  const known = NORMALISATIONS.find((name) => name === normalisation);
  if (normalisation !== undefined && !known)
    throw new OptionError(
      `there is no normalisation "${normalisation}" of layers; take one of ${NORMALISATIONS.join(", ")}`,
    );
  return { normalisation: known, width: width as number | undefined };
}

/** Options of a model, if it has all that are given, and of the right kind. */
function chosen(given: RunOptions["model"], known: Readonly<Record<string, string>>): RunOptions["model"] {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name))
      throw new OptionError(`the model has no option "${name}"; it has ${Object.keys(known).join(", ")}`);
    if (typeof value !== known[name])
      throw new OptionError(`the model's ${name} is a ${known[name]}, not ${JSON.stringify(value)}`);
  }
  return given;
}

function taskDeepOnet(
  task: keyof typeof DEEPONETS,
  model: RunOptions["model"],
  { inputShape, coordinates }: Pick<TaskGeometry, "inputShape" | "coordinates">,
): Operator {
  const sizes = {
    sensors: inputShape[0],
    coordinates: coordinates.t ? 2 : 1,
    ...DEEPONETS[task],
    ...chosen(model, { width: "number", depth: "number" }),
  };
  return deepOnetOperator(sizes, gridPoints(coordinates));
}

/** Output points in the order of a response: x, then t, which runs fastest. */
export function gridPoints({ x, t }: TaskGeometry["coordinates"]): Float32Array {
  if (!t) return Float32Array.from(x);
  const points = new Float32Array(2 * x.length * t.length);
  x.forEach((place, i) => {
    t.forEach((time, j) => {
      points.set([place, time], 2 * (i * t.length + j));
    });
  });
  return points;
}
