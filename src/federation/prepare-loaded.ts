import { inStoredOrder } from "../datasets/axis-order.js";
import type { AxisKind, DatasetDescription } from "../datasets/dataset.js";
import type { Fields, LabelledFields } from "../datasets/fields.js";
import type { Split } from "../datasets/generate.js";
import type { SampleArrays } from "../datasets/sample-arrays.js";
import type { DataShapes } from "../models/model.js";
import { modelOf } from "../models/models.js";
import type { Threads } from "../numerics/kernels/threads.js";
import type { BinModel } from "../partition/bins.js";
import type { CostChoice } from "../partition/ground-costs.js";
import type { Known } from "../partition/partitioner.js";
import { type BinningOptions, binData } from "../pipeline/binned-data.js";
import { chosenModel, runModel } from "./chosen-model.js";
import type { PreparedData } from "./federation.js";
import type { RunOptions } from "./run-options.js";
import { blocksOf, type Samples } from "./samples/stored-samples.js";
import { fitScaling, type Scaling, trainingSamples } from "./scaling.js";
import { checkData } from "./usable-data.js";

/** The options that data depend on. */
export type DataOptions = Pick<
  RunOptions,
  | "task"
  | "seed"
  | "dataSeed"
  | "data"
  | "train"
  | "test"
  | "parameters"
  | "normalise"
  | "model"
  | "bins"
  | "partitioner"
  | "representation"
  | "standardise"
  | "cost"
  | "costSha256"
>;

/** Both halves of data, in memory or on disk, and what is known of them; close them when done. */
export type LoadedData = Readonly<Record<Split, LabelledFields>> & {
  readonly origin: string;
  readonly shapes: DataShapes;
  readonly description: Partial<DatasetDescription>;
  /** Group of every training sample, where samples of a group stay together. */
  readonly groups?: Int32Array;
  /** Values of every training sample by name, where the partitioner wants one. */
  readonly attributes: Readonly<Record<string, Float64Array>>;
  /** Kinds of the axes of a response. */
  readonly responseAxes: readonly AxisKind[];
  /** Stored axis of each axis of a response, where it is another one. */
  readonly responseOrder?: readonly number[];
  /** Arrays that stand for the responses where bins are fitted, if the run names some. */
  readonly descriptors?: SampleArrays;
  /** The same of the test samples, where the data have them. */
  readonly testDescriptors?: SampleArrays;
  /** Why samples are read from disk; undefined where they are in memory. */
  readonly notice?: string;
  close(): Promise<void>;
};

/** Data that can be trained on, and how they are scaled for it. */
export type CheckedData = LoadedData & {
  readonly scaling: Scaling;
  readonly warnings: readonly string[];
};

/**
 * Refuses data that cannot be trained on, and finds how they are scaled.
 *
 * @param source the file, or what else the data are of
 */
export async function checkLoaded(
  data: LoadedData,
  { normalise }: Pick<RunOptions, "normalise">,
  source: string,
): Promise<CheckedData> {
  const scaling = await fitScaling(data.train, normalise, data.shapes);
  return { ...data, scaling, warnings: await checkData(data, scaling, source) };
}

/** Who computes with loaded data, and what may have to be read from other files for them. */
export interface LoadedSources extends Pick<BinningOptions, "threads" | "memory"> {
  /** Threads for fields of a given size; the caller's thread by default. */
  readonly threads?: (fields: Fields) => Threads;
  /** What the partitioner wants to know of the samples, and bins that a partition brings along; nothing by default. */
  knowledge?(): Promise<{ readonly known: Known; readonly model?: BinModel }>;
  /** The ground metric; that of the representation by default. */
  cost?(): Promise<CostChoice | undefined>;
  /** Whether splits of the data are to have the distance of inputs; default true. It does not change them. */
  readonly measuresInputs?: boolean;
  /** Samples as a model takes them; by default in memory. */
  samples?(): Promise<Readonly<Record<Split, Samples>> & Pick<PreparedData, "close">>;
}

/** Data, model and bins of a seed, of data that are loaded. It needs no files of its own, so that a page can do it. */
export function prepareLoaded(
  data: CheckedData,
  options: DataOptions,
  sources?: LoadedSources & { readonly samples?: undefined },
): Promise<PreparedData>;
export function prepareLoaded(
  data: CheckedData,
  options: DataOptions,
  sources: LoadedSources,
): Promise<PreparedData<Samples>>;
export async function prepareLoaded(
  data: CheckedData,
  options: DataOptions,
  { knowledge, cost, measuresInputs = true, samples: given, ...work }: LoadedSources = {},
): Promise<PreparedData<Samples>> {
  const { train, origin, description, shapes, scaling } = data;
  const operator = runModel(options, shapes);
  const { known, model } = (await knowledge?.()) ?? { known: {} };
  const { representation, standardise } = options;
  // Bins of a partition are those of responses as the file has them, whatever order of axes the model takes.
  const responses = model ? inStoredOrder(train.responses, data.responseOrder) : train.responses;
  const { bins, inputs } = await binData(
    {
      responses,
      inputs: measuresInputs ? train.inputs : undefined,
      descriptors: data.descriptors,
      responseAxes: async () => data.responseAxes,
    },
    {
      ...work,
      bins: options.bins,
      ...(model ? { model } : { representation, standardise, cost: await cost?.() }),
      seed: options.seed,
    },
  );
  const binOfTest = await testBins(data, bins, { ...work, inStoredOrder: model !== undefined });
  const samples = await (given?.() ?? samplesInMemory(data));
  const { checkResponses } = modelOf(chosenModel(options).name);
  if (checkResponses) for await (const { responses } of blocksOf(samples.train)) checkResponses(responses);
  return {
    train: samples.train,
    test: samples.test,
    scaling,
    inputShape: train.inputs.shape,
    responseShape: train.responses.shape,
    shapes,
    origin,
    description,
    operator,
    bins,
    ...(binOfTest && { binOfTest }),
    ...(inputs && { inputSpace: inputs }),
    ...(data.groups && { groups: data.groups }),
    ...(Object.keys(known).length > 0 && { known }),
    async close() {
      await samples.close();
      await data.close();
    },
  };
}

/** All samples, scaled as a model takes them. */
export async function samplesInMemory({ train, test, scaling }: CheckedData) {
  return {
    train: await trainingSamples(train, scaling),
    test: await trainingSamples(test, scaling),
    close: async () => {},
  };
}

/** The bin of every test sample; undefined where bins are of descriptors that the test samples lack. */
async function testBins(
  { test, responseOrder, responseAxes, descriptors, testDescriptors }: LoadedData,
  model: BinModel,
  {
    inStoredOrder: isStored,
    ...work
  }: Pick<BinningOptions, "threads" | "memory"> & { readonly inStoredOrder: boolean },
): Promise<Int32Array | undefined> {
  if (descriptors && !testDescriptors) return undefined;
  const responses = isStored ? inStoredOrder(test.responses, responseOrder) : test.responses;
  const rows = { responses, descriptors: testDescriptors, responseAxes: async () => responseAxes };
  return (await binData(rows, { ...work, model })).bins.binOfSample;
}
