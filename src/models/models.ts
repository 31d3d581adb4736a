import { DataError, OptionError } from "../errors.js";
import { checkValues, type GivenValues } from "../options/option.js";
import { deeponet } from "./deeponet.js";
import { fno } from "./fno.js";
import { inversionNet } from "./inversion-net.js";
import type { DataShapes, Model } from "./model.js";
import type { TrainableModel } from "./trainable-model.js";

/** The list of models. A new one is a file of its own and a line here. */
export const MODELS = {
  deeponet,
  fno,
  "inversion-net": inversionNet,
} as const satisfies Readonly<Record<string, Model>>;

export type ModelName = keyof typeof MODELS;

export const MODEL_NAMES = Object.keys(MODELS) as readonly ModelName[];

/** Names that earlier versions wrote into records. */
const EARLIER_NAMES: Readonly<Record<string, ModelName>> = { fno2d: "fno" };

/** A model's name, today's for an earlier one. */
export function modelName(name: string): ModelName {
  const today = EARLIER_NAMES[name] ?? name;
  if (!Object.hasOwn(MODELS, today))
    throw new OptionError(`there is no model "${name}"; there are ${MODEL_NAMES.join(", ")}`);
  return today as ModelName;
}

export const modelOf = (name: string): Model => MODELS[modelName(name)];

/** A sensible model for data: FNO where inputs and responses share a grid, else DeepONet. InversionNet is only for those who ask. */
export function defaultModel(shapes: DataShapes): ModelName {
  return fno.refuses(shapes) === undefined ? "fno" : "deeponet";
}

/** Why a model cannot take data and which one can, in a line; undefined if it can take them. */
export function refusal(name: string, shapes: DataShapes): string | undefined {
  const why = modelOf(name).refuses(shapes);
  if (why === undefined) return undefined;
  const other = defaultModel(shapes);
  const takes = other !== modelName(name) && modelOf(other).refuses(shapes) === undefined;
  return `${name} ${why}${takes ? `; use --model ${other}` : ""}`;
}

/** Builds a model by its name, or says in a `DataError` or an `OptionError` why it cannot be built. */
export function buildModel(name: string, shapes: DataShapes, options: GivenValues = {}): TrainableModel {
  const model = modelOf(name);
  checkValues(model.options, options, "the model");
  const why = refusal(name, shapes);
  if (why !== undefined) throw new DataError(why);
  return model.build(shapes, options);
}
