import { type DatasetDescription, shapesOf } from "../datasets/dataset.js";
import type { Fields, LabelledFields } from "../datasets/fields.js";
import type { Progress, Split } from "../datasets/generate.js";
import { heldInMemory, openDataset } from "../datasets/labelled-file.js";
import { sourceDataset } from "../datasets/source-dataset.js";
import type { DataShapes } from "../models/model.js";
import { modelOf } from "../models/models.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { binData } from "../pipeline/binned-data.js";
import { chosenModel, isOwnData, runModel } from "./chosen-model.js";
import type { PreparedData } from "./federation.js";
import type { RunOptions } from "./run-options.js";
import { fitScaling, trainingSamples } from "./scaling.js";
import { checkData } from "./usable-data.js";

export interface PrepareDataOptions {
  readonly onProgress?: Progress;
  /** Called with what should not be missed about the data, though they can be trained on. */
  readonly onWarning?: (message: string) => void;
  /** Who computes with fields of this size; the caller's thread by default. */
  readonly threads?: (fields: Fields) => Threads;
}

/** Data, model and bins of a seed. They do not depend on alpha or clients. */
export async function prepareData(
  options: Pick<
    RunOptions,
    "task" | "seed" | "dataSeed" | "data" | "train" | "test" | "parameters" | "normalise" | "model" | "bins"
  >,
  { onProgress, onWarning, threads }: PrepareDataOptions = {},
): Promise<PreparedData> {
  const { train, test, origin, description, shapes, scaling, warnings } = await checkedData(
    options,
    onProgress,
  );
  for (const warning of warnings) onWarning?.(warning);
  const operator = runModel(options, shapes);
  const { bins, inputs } = await binData(train, { bins: options.bins, seed: options.seed, threads });
  const samples = await trainingSamples(train, scaling);
  modelOf(chosenModel(options).name).checkResponses?.(samples.responses);
  return {
    train: samples,
    test: await trainingSamples(test, scaling),
    scaling,
    inputShape: train.inputs.shape,
    responseShape: train.responses.shape,
    shapes,
    origin,
    description,
    operator,
    bins,
    inputSpace: inputs,
  };
}

/** Warnings about data that a run reads from a file; none where they cannot be read, which the run says itself. */
export async function dataWarnings(options: Parameters<typeof prepareData>[0]): Promise<readonly string[]> {
  if (!options.data) return [];
  return checkedData(options).then(
    ({ warnings }) => warnings,
    () => [],
  );
}

/** Both halves of data that can be trained on, and how they are scaled for it. */
async function checkedData(options: Parameters<typeof prepareData>[0], onProgress?: Progress) {
  const labelled = await labelledData(options, onProgress);
  const scaling = await fitScaling(labelled.train, options.normalise, labelled.shapes);
  const warnings = await checkData(labelled, scaling, options.data?.file ?? "the generated data");
  return { ...labelled, scaling, warnings };
}

/** Both halves of data in memory, and what is known of them. */
type LoadedData = Readonly<Record<Split, LabelledFields>> & {
  readonly origin: string;
  readonly shapes: DataShapes;
  readonly description: Partial<DatasetDescription>;
};

/** Reads data from their file, or from their source through the cache of generated ones. */
async function labelledData(
  options: Parameters<typeof prepareData>[0],
  onProgress?: Progress,
): Promise<LoadedData> {
  const { data, dataSeed } = options;
  const dataset = data ? await openDataset(data) : sourceDataset({ ...options, seed: dataSeed }, onProgress);
  const { description, coordinates } = dataset;
  try {
    return {
      train: await heldInMemory(await dataset.read("train")),
      test: await heldInMemory(await dataset.read("test")),
      origin: description.origin,
      shapes: shapesOf(description, coordinates),
      description: data && !isOwnData(data) ? {} : description,
    };
  } finally {
    await dataset.close();
  }
}
