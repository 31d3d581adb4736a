import { type Dataset, type DatasetDescription, fieldSizeOf, shapesOf } from "../datasets/dataset.js";
import { type Fields, fieldsInMemory } from "../datasets/fields.js";
import { heldInMemory, openDataset } from "../datasets/files/labelled-file.js";
import type { Progress, Split } from "../datasets/generate.js";
import type { SampleArrays } from "../datasets/sample-arrays.js";
import { sourceDataset } from "../datasets/source-dataset.js";
import { DataError, UserError } from "../errors.js";
import { costSha256, readCostChoice } from "../exchange/cost-choice.js";
import { fieldSize } from "../models/model.js";
import type { Threads } from "../numerics/kernels/threads.js";
import type { CostChoice } from "../partition/ground-costs.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { chosenRepresentation, DEFAULT_REPRESENTATION } from "../partition/representations.js";
import { namedArrays } from "../pipeline/represented-data.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { isOwnData } from "./chosen-model.js";
import type { PreparedData } from "./federation.js";
import {
  type CheckedData,
  checkLoaded,
  type DataOptions,
  type LoadedData,
  prepareLoaded,
  samplesInMemory,
} from "./prepare-loaded.js";
import type { RunOptions } from "./run-options.js";
import { openReader } from "./samples/reader-thread.js";
import type { Samples } from "./samples/stored-samples.js";
import { partitionKnowledge } from "./split/chosen-partitioner.js";

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
    for (const warning of data.warnings) onWarning?.(warning);
    if (data.notice !== undefined) onNotice?.(data.notice);
    const work = {
      threads,
      ...(memory !== undefined && { memory: Math.max(memory, MEMORY_OPTIONS.memory.from) }),
    };
    return await prepareLoaded(data, options, {
      ...work,
      knowledge: () => partitionKnowledge(options, data, work),
      cost: () => costOf(options),
      samples: () => samplesOf(data, options.data),
    });
  } catch (error) {
    await data.close();
    throw error;
  }
}

/** What is known about data that a run reads from a file before it is trained. */
export interface DataRemarks {
  readonly warnings: readonly string[];
  /** Why they cannot be trained on. */
  readonly refusal?: UserError;
}

/** Reads the file of a run and checks it; generated data need no check. */
export async function dataRemarks(
  options: DataOptions,
  { memory }: Pick<PrepareDataOptions, "memory"> = {},
): Promise<DataRemarks> {
  if (!options.data) return { warnings: [] };
  try {
    const { warnings, notice, close } = await checkedData(options, { memory });
    await close();
    return { warnings: notice === undefined ? warnings : [...warnings, notice] };
  } catch (error) {
    return { warnings: [], ...(error instanceof UserError && { refusal: error }) }; // others the run says itself
  }
}

/** Opens data and checks that they can be trained on. */
async function checkedData(
  options: DataOptions,
  hooks: Pick<PrepareDataOptions, "memory" | "onProgress">,
): Promise<CheckedData> {
  const labelled = await labelledData(options, hooks);
  try {
    return await checkLoaded(labelled, options, options.data?.file ?? "the generated data");
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
    const testDescriptors =
      descriptors && (await descriptorsOf(dataset, options, isInMemory, "test").catch(ifNotThere));
    if (isInMemory) await dataset.close();
    return {
      ...halves,
      groups,
      attributes,
      ...(descriptors && { descriptors }),
      ...(testDescriptors && { testDescriptors }),
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
  split: Split = "train",
): Promise<SampleArrays | undefined> {
  const { entry, text } = chosenRepresentation(representation);
  if (!entry.readsArrays) return undefined;
  const source = await dataset.arrays?.(split);
  const arrays = await namedArrays(source, text);
  const held = isInMemory
    ? await Promise.all(arrays.map(async ({ name, fields }) => ({ name, fields: await inMemory(fields) })))
    : arrays;
  return { names: source!.names, open: async () => held };
}

/** Test samples need no descriptors: what depends on their bins is then left out. */
function ifNotThere(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
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
  checked: CheckedData,
  data: RunOptions["data"],
): Promise<Readonly<Record<Split, Samples>> & Pick<PreparedData, "close">> {
  const { train, test, shapes, scaling, notice } = checked;
  if (notice === undefined || !data) return samplesInMemory(checked);
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
