import { type FileData, fieldSizeOf, gridAxes } from "../datasets/dataset.js";
import { usualParameters } from "../datasets/source.js";
import { sourceOf } from "../datasets/sources.js";
import { OptionError } from "../errors.js";
import type { DataShapes } from "../models/model.js";
import { buildModel, defaultModel, type ModelName, modelName, modelOf } from "../models/models.js";
import { type ParameterLayout, parameterCount } from "../models/parameter-layout.js";
import type { TrainableModel } from "../models/trainable-model.js";
import { checkValues, type GivenValues } from "../options/option.js";
import { generatedShapes } from "./generated-shapes.js";
import { participantCount } from "./participation/participants.js";
import type { RunOptions } from "./run-options.js";
import { checkLocalParts } from "./strategies/local-parts.js";
import type { ChosenStrategy } from "./strategies/strategies.js";
import { trainedCount } from "./trained-clients.js";

type Choice = Pick<RunOptions, "task" | "data" | "model">;

/** A model by its name, with those of its options that are not its own defaults. */
export interface ChosenModel {
  readonly name: ModelName;
  readonly options: GivenValues;
  /** Whether it is the one that is trained on such data unless told otherwise. */
  readonly isUsual: boolean;
}

/** Whether data are those of a user's own file, which describes them, and not those of a task. */
export const isOwnData = (data: FileData | undefined): data is FileData => data?.responses !== undefined;

/** The model of a run: the one that is named, else that of the task, else one that suits the shapes of a file. */
export function chosenModel({ task, data, model }: Choice): ChosenModel {
  const { name: given, ...options } = model;
  const usual = usualModel(task, data);
  const name = given === undefined ? usual.name : modelName(String(given));
  const isUsual = name === usual.name;
  return { name, options: isUsual ? { ...usual.options, ...options } : options, isUsual };
}

/** What is trained on data unless told otherwise. */
function usualModel(task: string, data: FileData | undefined): Omit<ChosenModel, "isUsual"> {
  const shapes = data && fileShapes(data);
  if (shapes) return { name: defaultModel(shapes), options: {} };
  const { name, options } = sourceOf(task).model;
  return { name: modelName(name), options };
}

/**
 * Shapes of a file's data, as far as its description tells; undefined for a file that holds data of a task, whose model
 * is known. Without the file no points are known: a list of points counts as one without dimensions, which is no grid.
 */
function fileShapes({ inputs, responses }: FileData): DataShapes | undefined {
  if (!inputs || !responses) return undefined;
  const isList = gridAxes(responses).some(({ kind }) => kind === "point");
  const points = { points: { values: new Float32Array(0), dimensions: 0 } };
  return { inputs: fieldSizeOf(inputs), responses: fieldSizeOf(responses), ...(isList && points) };
}

/** Refuses options that the model does not have or cannot take, before data are made or read for it. */
export function checkModel(options: RunOptions): void {
  const { name, options: values } = chosenModel(options);
  checkValues(modelOf(name).options, values, "the model");
  const { data, task, parameters, model, local } = options;
  const shapes = data ? fileShapes(data) : generatedShapes(task, parameters);
  if (shapes && (data || local !== undefined || Object.keys(model).length > 0))
    checkParameters(buildModel(name, shapes, values).layout, options);
}

/**
 * The model as it will be built, as far as shapes are known before data are read: a file that holds data of a task is
 * taken to have the task's usual shapes.
 */
export function plannedModel(options: Choice & Pick<RunOptions, "parameters">): TrainableModel {
  return runModel(options, plannedShapes(options));
}

/** Shapes of a run's data, as far as they are known before data are read. */
export function plannedShapes({
  task,
  data,
  parameters,
}: Choice & Pick<RunOptions, "parameters">): DataShapes {
  const shapes = data && fileShapes(data);
  return shapes ?? generatedShapes(task, data ? usualParameters(sourceOf(task)) : parameters);
}

/** The model of a run, built for the shapes of its data. */
export function runModel(options: Choice, shapes: DataShapes): TrainableModel {
  const { name, options: values } = chosenModel(options);
  return buildModel(name, shapes, values);
}

/** Numbers of a vector of all participants of a round: 4 GiB in float32. Training holds several of them. */
const MOST_NUMBERS = 2 ** 30;

/** Refuses a model whose parameters and optimiser states do not fit into memory, and local parts that it does not have. */
export function checkParameters(
  layout: ParameterLayout,
  { clients: all, ...options }: Pick<RunOptions, "clients" | "participation"> & ChosenStrategy,
): void {
  checkLocalParts(layout, options.local);
  const count = parameterCount(layout);
  const clients = participantCount(trainedCount(all, options), options);
  if (count * clients <= MOST_NUMBERS) return;
  throw new OptionError(
    `a model of ${count.toPrecision(3)} parameters for ${clients} clients is too large: ` +
      `clients times parameters may be at most ${MOST_NUMBERS.toPrecision(3)}; use a smaller width or depth`,
  );
}
