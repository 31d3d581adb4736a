import { type FileData, shapesOf } from "../../datasets/dataset.js";
import { SOURCE_NAMES } from "../../datasets/sources.js";
import { OptionError } from "../../errors.js";
import { chosenModel } from "../../federation/chosen-model.js";
import { OPTIMIZERS } from "../../federation/optimizer-options.js";
import { type GivenRunOptions, RUN_OPTIONS } from "../../federation/run-options.js";
import { DEFAULT_STRATEGY, STRATEGIES } from "../../federation/strategies/strategies.js";
import { type OptionValue, propertyOf } from "../../options/option.js";
import { DEFAULT_PARTITIONER, PARTITIONERS } from "../../partition/partitioners.js";
import type { DataFacts } from "../lab/lab.js";
import { usualMinSize } from "../lab/usual-min-size.js";
import type { StudioSettings } from "../settings.js";
import { pageSize } from "./page-size.js";
import { MODEL_PREFIX } from "./run-fields.js";
import type { RunChanges } from "./run-list.js";
import { hasAlpha, type RunValues, runValues } from "./run-values.js";

/** What of the data decides on options of runs. */
export type TrainedData = Pick<DataFacts, "origin" | "description" | "coordinates">;

/** The options of a run of the page, as a user of the library would give them: the command `train` has the same. */
export function givenRun(settings: StudioSettings, run: RunChanges, data: TrainedData): GivenRunOptions {
  const values = runValues(settings, run);
  const { description, origin } = data;
  if (run.alpha !== undefined && !hasAlpha(values))
    throw new OptionError(`the partitioner ${values.partitioner} has no concentration: leave out alpha`);
  const strategy = entryOf(values, "strategy", DEFAULT_STRATEGY, STRATEGIES);
  const partitioner = entryOf(values, "partitioner", DEFAULT_PARTITIONER, PARTITIONERS);
  const optimizer = entryOf(values, "optimizer", "adam", OPTIMIZERS);
  const clients = Number(values.clients);
  const minSize = usualMinSize(origin, description.train, { clients, partitioner });
  const declared = Object.entries(values).filter(([name]) => Object.hasOwn(RUN_OPTIONS, name));
  const { batch, model } = sizesOf(settings, values, data);
  return {
    ...dataOptions(data),
    ...(minSize !== undefined && { minSize }),
    ...Object.fromEntries(declared.map(([name, value]) => [propertyOf(name), value])),
    ...(batch !== undefined && { batch }),
    ...(hasAlpha(values) && { alpha: Number(values.alpha) }),
    seed: Number(values.seed),
    rounds: settings.rounds,
    partitioner,
    strategy,
    optimizer,
    model,
  } as GivenRunOptions;
}

/** Data as options of a run name them: a task with its numbers of samples, or a file. */
export function dataOptions({ origin, description }: TrainedData): GivenRunOptions {
  const { name, train, test, seed, parameters } = description;
  if (origin.kind === "task") return { task: origin.options.task, train, test, dataSeed: seed, parameters };
  return { task: name, data: fileData(origin.name, description) };
}

/** A file's data as its description has them. Those of a task that `generate` has written are described by the task. */
function fileData(file: string, description: TrainedData["description"]): FileData {
  const { name, title, origin, train, test, seed, parameters, inputs, responses, sha256 = "" } = description;
  const ofTask = SOURCE_NAMES.includes(name) && origin.startsWith("simulated by pde-dirichlet");
  return {
    ...{ file, sha256, task: name, origin, train, test, seed, parameters },
    ...(!ofTask && { title, inputs, responses }),
  };
}

/** Batch and model: what is asked for, else what suits a page, if that is wanted. */
function sizesOf(
  { size }: StudioSettings,
  values: RunValues,
  data: TrainedData,
): { readonly batch?: number; readonly model: Readonly<Record<string, OptionValue>> } {
  const asked = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name.startsWith(MODEL_PREFIX) && value !== undefined ? [[name.slice(MODEL_PREFIX.length), value]] : [],
    ),
  );
  const named = { ...(values.model !== undefined && { name: values.model }), ...asked };
  const batch = values.batch === undefined ? undefined : Number(values.batch);
  if (size === "usual") return { batch, model: named };
  const { name } = chosenModel({ ...dataOptions(data), model: named });
  const light = pageSize(name, shapesOf(data.description, data.coordinates));
  return { batch: batch ?? light.batch, model: { ...light.model, ...named } };
}

/** An entry of an open list with those of its options that the run has. Options of other entries are refused by name. */
function entryOf(
  values: RunValues,
  kind: string,
  usual: string,
  entries: Readonly<Record<string, { readonly options: object }>>,
): { readonly name: string; readonly [option: string]: OptionValue } {
  const name = String(values[kind] ?? usual);
  const options = Object.values(entries).flatMap(({ options: own }) => Object.keys(own));
  const given = Object.entries(values).filter(
    ([option, value]) => option !== "alpha" && options.includes(option) && value !== undefined,
  );
  return { name, ...(Object.fromEntries(given) as Record<string, OptionValue>) };
}
