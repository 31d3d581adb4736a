import { inStoredOrder } from "../datasets/axis-order.js";
import {
  type AxisKind,
  type Dataset,
  type DatasetDescription,
  fieldSizeOf,
  shapesOf,
} from "../datasets/dataset.js";
import { type Fields, fieldsInMemory, type LabelledFields } from "../datasets/fields.js";
import { heldInMemory, openDataset } from "../datasets/files/labelled-file.js";
import type { Progress, Split } from "../datasets/generate.js";
import type { SampleArrays } from "../datasets/sample-arrays.js";
import { sourceDataset } from "../datasets/source-dataset.js";
import { DataError } from "../errors.js";
import { costSha256, readCostChoice } from "../exchange/cost-choice.js";
import { type DataShapes, fieldSize } from "../models/model.js";
import { modelOf } from "../models/models.js";
import type { Threads } from "../numerics/kernels/threads.js";
import type { CostChoice } from "../partition/ground-costs.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { chosenRepresentation, DEFAULT_REPRESENTATION } from "../partition/representations.js";
import { binData } from "../pipeline/binned-data.js";
import { namedArrays } from "../pipeline/represented-data.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { chosenModel, isOwnData, runModel } from "./chosen-model.js";
import type { PreparedData } from "./federation.js";
import type { RunOptions } from "./run-options.js";
import { openReader } from "./samples/reader-thread.js";
import { blocksOf, type Samples } from "./samples/stored-samples.js";
import { fitScaling, type Scaling, trainingSamples } from "./scaling.js";
import { partitionKnowledge } from "./split/chosen-partitioner.js";
import { checkData } from "./usable-data.js";

/** The options that data depend on. */
type DataOptions = Pick<
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

export interface PrepareDataOptions {
  readonly onProgress?: Progress;
  /** Called with what should not be missed about the data, though they can be trained on. */
  readonly onWarning?: (message: string) => void;
  /** Called where samples are read from disk during training, with the reason. */
  readonly onNotice?: (message: string) => void;
  /** Who computes with fields of this size; the caller's thread by default. */
  readonly threads?: (fields: Fields) => Threads;
  /**
   * GB of memory that the data of a file may take. Where their float32 form exceeds half of it, samples are read from disk
   * during training, to the same bits. Without it, samples are in memory whatever their size.
   */
  readonly memory?: number;
}

/** Data, model and bins of a seed. They do not depend on alpha or clients. Close them where `memory` is given. */
export function prepareData(
  options: DataOptions,
  hooks?: PrepareDataOptions & { readonly memory?: undefined },
): Promise<PreparedData>;
export function prepareData(options: DataOptions, hooks: PrepareDataOptions): Promise<PreparedData<Samples>>;
export async function prepareData(
  options: DataOptions,
  { onProgress, onWarning, onNotice, threads, memory }: PrepareDataOptions = {},
): Promise<PreparedData<Samples>> {
  const data = await checkedData(options, { memory, onProgress });
  try {
    const { train, origin, description, shapes, scaling, warnings, notice } = data;
    for (const warning of warnings) onWarning?.(warning);
    if (notice !== undefined) onNotice?.(notice);
    const operator = runModel(options, shapes);
    const work = {
      threads,
      ...(memory !== undefined && { memory: Math.max(memory, MEMORY_OPTIONS.memory.from) }),
    };
    const { known, model } = await partitionKnowledge(options, data, work);
    const { representation, standardise } = options;
    // Bins of a partition are those of responses as the file has them, whatever order of axes the model takes.
    const responses = model ? inStoredOrder(train.responses, data.responseOrder) : train.responses;
    const { bins, inputs } = await binData(
      { ...train, responses, descriptors: data.descriptors, responseAxes: async () => data.responseAxes },
      {
        ...work,
        bins: options.bins,
        ...(model ? { model } : { representation, standardise, cost: await costOf(options) }),
        seed: options.seed,
      },
    );
    const samples = await samplesOf(data, options.data);
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
      inputSpace: inputs,
      ...(data.groups && { groups: data.groups }),
      ...(Object.keys(known).length > 0 && { known }),
      async close() {
        await samples.close();
        await data.close();
      },
    };
  } catch (error) {
    await data.close();
    throw error;
  }
}

/**
 * What should be known about data that a run reads from a file before it is trained; nothing where they cannot be read,
 * which the run says itself.
 */
export async function dataWarnings(
  options: DataOptions,
  { memory }: Pick<PrepareDataOptions, "memory"> = {},
): Promise<readonly string[]> {
  if (!options.data) return [];
  try {
    const { warnings, notice, close } = await checkedData(options, { memory });
    await close();
    return notice === undefined ? warnings : [...warnings, notice];
  } catch {
    return [];
  }
}

/** Both halves of data, in memory or on disk, and what is known of them; close them when done. */
type LoadedData = Readonly<Record<Split, LabelledFields>> & {
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
  /** Why samples are read from disk; undefined where they are in memory. */
  readonly notice?: string;
  close(): Promise<void>;
};

/** Data that can be trained on, and how they are scaled for it. */
async function checkedData(
  options: DataOptions,
  hooks: Pick<PrepareDataOptions, "memory" | "onProgress">,
): Promise<LoadedData & { readonly scaling: Scaling; readonly warnings: readonly string[] }> {
  const labelled = await labelledData(options, hooks);
  try {
    const scaling = await fitScaling(labelled.train, options.normalise, labelled.shapes);
    const warnings = await checkData(labelled, scaling, options.data?.file ?? "the generated data");
    return { ...labelled, scaling, warnings };
  } catch (error) {
    await labelled.close();
    throw error;
  }
}

/** Opens data in their file, or takes them from their source through the cache of generated ones. */
async function labelledData(
  options: DataOptions,
  { memory, onProgress }: Pick<PrepareDataOptions, "memory" | "onProgress">,
): Promise<LoadedData> {
  const { data, dataSeed } = options;
  const dataset = data ? await openDataset(data) : sourceDataset({ ...options, seed: dataSeed }, onProgress);
  try {
    const { description, coordinates } = dataset;
    const notice = data && memory !== undefined ? beyondMemory(description, memory) : undefined;
    const isInMemory = notice === undefined;
    const half = async (split: Split) => {
      const fields = await dataset.read(split);
      return isInMemory ? heldInMemory(fields) : fields;
    };
    const halves = { train: await half("train"), test: await half("test") };
    const groups = await dataset.groups?.("train");
    const attributes = wantedBy(options.partitioner).attribute ? await dataset.attributes("train") : {};
    const descriptors = await descriptorsOf(dataset, options, isInMemory);
    if (isInMemory) await dataset.close();
    return {
      ...halves,
      groups,
      attributes,
      ...(descriptors && { descriptors }),
      responseAxes: description.responses.axes.map(({ kind }) => kind),
      responseOrder: dataset.responseOrder,
      origin: description.origin,
      shapes: shapesOf(description, coordinates),
      description: data && !isOwnData(data) ? {} : description,
      notice,
      close: isInMemory ? async () => {} : () => dataset.close(),
    };
  } catch (error) {
    await dataset.close();
    throw error;
  }
}

/** Arrays that a run names in place of the responses; those of data in memory are read at once. */
async function descriptorsOf(
  dataset: Dataset,
  { representation = DEFAULT_REPRESENTATION }: DataOptions,
  isInMemory: boolean,
): Promise<SampleArrays | undefined> {
  const { entry, text } = chosenRepresentation(representation);
  if (!entry.readsArrays) return undefined;
  const source = await dataset.arrays?.("train");
  const arrays = await namedArrays(source, text);
  const held = isInMemory
    ? await Promise.all(arrays.map(async ({ name, fields }) => ({ name, fields: await inMemory(fields) })))
    : arrays;
  return { names: source!.names, open: async () => held };
}

const inMemory = async (fields: Fields): Promise<Fields> =>
  fieldsInMemory(await fields.read(0, fields.samples), fields.samples, fields.shape);

/** The ground metric of a run; refuses a matrix that has changed since the run was planned. */
async function costOf({ cost, costSha256: planned }: DataOptions): Promise<CostChoice | undefined> {
  if (cost === undefined) return undefined;
  const choice = await readCostChoice(cost);
  if (planned !== undefined && costSha256(choice) !== planned)
    throw new DataError(`${cost} has changed since the run was planned; start a new run in another folder`);
  return choice;
}

/** Share of the memory for data that float32 samples may take: as they are read, they are there twice. */
const SHARE = 1 / 2;

/** That samples are read from disk, and why; undefined where they fit into memory. */
function beyondMemory(
  { train, test, inputs, responses }: DatasetDescription,
  memory: number,
): string | undefined {
  const size = fieldSize(fieldSizeOf(inputs)) + fieldSize(fieldSizeOf(responses));
  const bytes = 4 * (train + test) * size;
  if (bytes <= SHARE * 1e9 * memory) return undefined;
  return (
    `samples are read from disk during training: they take ${gigabytes(bytes)} GB in float32, ` +
    `more than half of the ${gigabytes(1e9 * memory)} GB for data (--memory)`
  );
}

const gigabytes = (bytes: number): string => String(Number((bytes / 1e9).toPrecision(2)));

/** Samples as the model takes them. Those on disk are read by threads that open the file themselves. */
async function samplesOf(
  { train, test, shapes, scaling, notice }: LoadedData & { readonly scaling: Scaling },
  data: RunOptions["data"],
): Promise<Readonly<Record<Split, Samples>> & Pick<PreparedData, "close">> {
  if (notice === undefined || !data)
    return {
      train: await trainingSamples(train, scaling),
      test: await trainingSamples(test, scaling),
      close: async () => {},
    };
  const sizes = { inputs: fieldSize(shapes.inputs), responses: fieldSize(shapes.responses) };
  const reader = openReader({ data, scaling, sizes });
  const half = (split: Split, samples: number): Samples => ({
    samples,
    sizes,
    read: (chosen, into) => reader.read(split, chosen, into),
  });
  return {
    train: half("train", train.inputs.samples),
    test: half("test", test.inputs.samples),
    close: () => reader.close(),
  };
}
