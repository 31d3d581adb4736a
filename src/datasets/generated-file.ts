import { createHash } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../files/cache-folder.js";
import { writeOutputs } from "../files/disk.js";
import { type Hdf5Contents, type Hdf5NewDataset, writeHdf5 } from "../files/hdf5-writer.js";
import { elements } from "../numerics/shape.js";
import { VERSION } from "../version.js";
import { fieldsInMemory, type LabelledFields } from "./fields.js";
import { fileSha256, readHalf } from "./files/labelled-file.js";
import {
  type GeneratedData,
  type GenerateOptions,
  type GenerateSpecification,
  generateSpecification,
  type Progress,
  type Samples,
  type Split,
} from "./generate.js";
import { generateInThreads, type ThreadOptions } from "./generate-threads.js";
import { isSource } from "./sources.js";
import { taskOf } from "./tasks.js";

/** Changes whenever generated numbers or the file's layout do, so that no stale file is taken from the cache. */
const GENERATOR = "pde-dirichlet/dataset/1";

export interface GeneratedFile extends GenerateSpecification {
  readonly file: string;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Whether it was there already. */
  readonly cached: boolean;
}

export interface GenerateFileOptions {
  readonly force?: boolean;
  /** Take the file from the cache and put it there; true unless told otherwise. */
  readonly cache?: boolean;
  readonly onProgress?: Progress;
}

/** Generates a dataset into an HDF5 file, or copies it from the cache of earlier ones. */
export async function generateToFile(
  options: GenerateOptions,
  file: string,
  { force, cache = true, onProgress }: GenerateFileOptions = {},
): Promise<GeneratedFile> {
  const specification = generateSpecification(options);
  const { inputShape, responseShape } = taskOf(specification.task).geometry(specification.parameters);
  const described = { ...specification, file, inputShape, responseShape };
  const kept = cache ? await lookUp(specification) : undefined;
  if (kept) {
    const write = copyOf(kept);
    const isCopied = await unlessGone(kept, () => writeOutputs([{ path: file, write }], { force }));
    if (isCopied) return { ...described, cached: true };
  }
  const dataset = await generateInThreads(options, { onProgress });
  await writeOutputs([{ path: file, write: (path) => writeHdf5(path, hdf5Contents(dataset)) }], { force });
  if (cache) await keep(specification, copyOf(file));
  return { ...described, cached: false };
}

/** The named arrays, coordinates and attributes of a dataset. */
export function hdf5Contents(dataset: GeneratedData): Hdf5Contents {
  const { task, seed, parameters, inputShape, responseShape, coordinates } = dataset;
  const named = (axis: string) => (axis in coordinates ? `/coordinates/${axis}` : axis);
  const stack = (values: Samples["inputs"], shape: readonly number[], axes: readonly string[]) => ({
    shape: [values.length / elements(shape), ...shape],
    values: byRows(values, elements(shape)),
    axes: ["sample", ...axes.map(named)],
  });
  const split = (name: Split) => ({
    [`/${name}/inputs`]: stack(dataset[name].inputs, inputShape, dataset.inputAxes),
    [`/${name}/responses`]: stack(dataset[name].responses, responseShape, dataset.responseAxes),
  });
  const scales = Object.entries(coordinates).map(([name, values]) => [
    `/coordinates/${name}`,
    { shape: [values.length], values },
  ]);
  return {
    attributes: {
      format: GENERATOR,
      task,
      equation: taskOf(task).equation,
      origin: `simulated by pde-dirichlet ${VERSION}`,
      seed,
      ...parameters,
    },
    datasets: { ...Object.fromEntries(scales), ...split("train"), ...split("test") },
  };
}

/** Bytes above which an array passes through the HDF5 library's memory in pieces. */
const WHOLE = 2 ** 28;

function byRows(values: Samples["inputs"], size: number): Hdf5NewDataset["values"] {
  if (values.byteLength <= WHOLE) return values;
  return {
    dtype: values instanceof Float32Array ? "float32" : "float64",
    rows: (start, end) => values.subarray(start * size, end * size),
  };
}

/** A file of the cache that is whole: its hash is kept beside it. */
async function lookUp(specification: GenerateSpecification): Promise<string | undefined> {
  const path = cachedPath(specification);
  try {
    const expected = await readFile(`${path}.sha256`, "utf8");
    if ((await fileSha256(path)) === expected) return path;
    await Promise.all([rm(path, { force: true }), rm(`${path}.sha256`, { force: true })]);
  } catch {
    // not there, or a cache that cannot be read: generate
  }
  return undefined;
}

/** Puts a finished file into the cache. A cache that cannot be written to is no reason to fail. */
async function keep(
  specification: GenerateSpecification,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const path = cachedPath(specification);
  try {
    await writeOutputs([{ path, write }], { force: true });
    await writeFile(`${path}.sha256`, await fileSha256(path));
  } catch {
    await rm(`${path}.sha256`, { force: true }).catch(() => undefined);
  }
}

/** Whether a file of the cache is one of ours: a dataset, or the hash beside it. */
export function isCachedDataset(name: string): boolean {
  const [, task] = /^(.+)-[0-9a-f]{16}\.h5(\.sha256)?$/.exec(name) ?? [];
  return task !== undefined && isSource(task);
}

function cachedPath(specification: GenerateSpecification): string {
  const key = createHash("sha256")
    .update(JSON.stringify([GENERATOR, VERSION, specification]))
    .digest("hex");
  return join(cacheFolder(), `${specification.task}-${key.slice(0, 16)}.h5`);
}

/** Shares the blocks where the file system can. */
function copyOf(from: string): (path: string) => Promise<void> {
  return (path) => copyFile(from, path, constants.COPYFILE_FICLONE);
}

/** The training half of a generated dataset, in memory, through the cache. */
export async function generatedTraining(
  options: GenerateOptions,
  onProgress?: Progress,
): Promise<LabelledFields> {
  return (await generatedSplits(options, ["train"], onProgress)).train;
}

/** Both halves of a generated dataset, in memory, through the cache. */
export async function generatedDataset(
  options: GenerateOptions,
  onProgress?: Progress,
): Promise<Readonly<Record<Split, LabelledFields>>> {
  return generatedSplits(options, ["train", "test"], onProgress);
}

/** Puts a dataset into the cache, unless it is there: for those who share it. */
export async function prepareDataset(
  options: GenerateOptions,
  threadOptions: ThreadOptions = {},
): Promise<void> {
  const specification = generateSpecification(options);
  if (await lookUp(specification)) return;
  const dataset = await generateInThreads(options, threadOptions);
  await keep(specification, (path) => writeHdf5(path, hdf5Contents(dataset)));
}

async function generatedSplits<S extends Split>(
  options: GenerateOptions,
  splits: readonly S[],
  onProgress?: Progress,
): Promise<Record<S, LabelledFields>> {
  const specification = generateSpecification(options);
  const kept = await lookUp(specification);
  const found = {} as Record<S, LabelledFields>;
  const isRead = kept && (await unlessGone(kept, readSplits));
  if (isRead) return found;
  const dataset = await generateInThreads(options, { onProgress });
  await keep(specification, (path) => writeHdf5(path, hdf5Contents(dataset)));
  for (const split of splits) {
    const { samples, inputs, responses } = dataset[split];
    found[split] = {
      inputs: fieldsInMemory(inputs, samples, dataset.inputShape),
      responses: fieldsInMemory(responses, samples, dataset.responseShape),
    };
  }
  return found;

  async function readSplits(): Promise<void> {
    for (const split of splits) found[split] = await readHalf(kept!, split);
  }
}

/** Uses a file of the cache; false if it was cleared away meanwhile, so that it has to be made again. */
async function unlessGone(path: string, use: () => Promise<void>): Promise<boolean> {
  try {
    await use();
    return true;
  } catch (error) {
    if (existsSync(path)) throw error;
    return false;
  }
}
