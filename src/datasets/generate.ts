import { OptionError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import { stream } from "../random/stream.js";
import type { Split } from "./dataset.js";
import { sourceParameters } from "./source.js";
import { ownersOf, sourceOf } from "./sources.js";
import { type TaskGeometry, type TaskName, type TaskParameters, taskOf } from "./tasks.js";

export interface GenerateOptions {
  readonly task: TaskName;
  /** A whole number from 0; default 0. */
  readonly seed?: number;
  /** Number of training and of test samples; the paper's by default. */
  readonly train?: number;
  readonly test?: number;
  /**
   * Overrides of the task's parameters: `{ viscosity: 0.01 }` for Burgers, `{ grid: 64 }` for fields on a grid.
   * Undefined ones keep their defaults.
   */
  readonly parameters?: Readonly<Record<string, number | string | undefined>>;
}

export type { Split };

/** Options with nothing left open; plain data that can be sent to a worker. */
export interface GenerateSpecification {
  readonly task: TaskName;
  readonly seed: number;
  readonly train: number;
  readonly test: number;
  readonly parameters: TaskParameters;
}

/** Consecutive samples: inputs and responses flattened in C order, one sample after another. */
export interface Samples {
  readonly samples: number;
  readonly inputs: Float32Array | Float64Array;
  readonly responses: Float32Array | Float64Array;
}

/** Samples of a task in memory. */
export interface GeneratedData extends TaskGeometry {
  readonly task: TaskName;
  readonly parameters: TaskParameters;
  readonly seed: number;
  readonly train: Samples;
  readonly test: Samples;
}

/** Called with the number of samples done and the number in all. */
export type Progress = (done: number, total: number) => void;

/** The labelled dataset of a task. The same options give the same bits on every machine. */
export function generate(
  options: GenerateOptions,
  { onProgress }: { onProgress?: Progress } = {},
): GeneratedData {
  const specification = generateSpecification(options);
  const dataset = emptyDataset(specification);
  const samplesOf = sampleGenerator(specification);
  let done = 0;
  for (const { split, start, end } of sampleBlocks(specification)) {
    placeSamples(dataset, split, start, samplesOf(split, start, end));
    done += end - start;
    onProgress?.(done, specification.train + specification.test);
  }
  return dataset;
}

/** Samples `start` to `end - 1` of a split, for those who divide the work themselves. */
export function generateSamples(
  specification: GenerateSpecification,
  split: Split,
  start: number,
  end: number,
): Samples {
  return sampleGenerator(specification)(split, start, end);
}

/**
 * The same with the solver prepared once for many blocks. Every sample has a random stream of its own, so that it
 * depends neither on the number of samples nor on the order in which they are made.
 */
export function sampleGenerator(
  specification: GenerateSpecification,
): (split: Split, start: number, end: number) => Samples {
  const { task, seed, parameters } = specification;
  const sample = taskOf(task).sampler(parameters);
  return (split, start, end) => {
    const block = emptySamples(specification, end - start);
    for (let i = 0; i < block.samples; i++) {
      const { input, response } = sample(stream(seed, task, split, start + i));
      block.inputs.set(input, i * input.length);
      block.responses.set(response, i * response.length);
    }
    return block;
  };
}

/** Checks the options and fills in what they leave open. */
export function generateSpecification(options: GenerateOptions): GenerateSpecification {
  const { task: name, seed = 0 } = options;
  const task = taskOf(name);
  const { train = task.train, test = task.test } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new OptionError(`seed ${seed} is not a whole number from 0 on`);
  }
  for (const [split, count] of Object.entries({ train, test })) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new OptionError(`${split} = ${count} is not a number of samples`);
    }
  }
  if (train + test === 0) throw new OptionError("train and test are both 0: there is nothing to generate");
  const parameters = taskParameters(name, options.parameters);
  const { inputShape, responseShape } = task.geometry(parameters);
  const sampleBytes =
    Math.max(elements(inputShape), elements(responseShape)) * (task.dtype === "float32" ? 4 : 8);
  for (const [split, count] of Object.entries({ train, test })) {
    if (count * sampleBytes > LARGEST_ARRAY) {
      const most = Math.floor(LARGEST_ARRAY / sampleBytes);
      throw new OptionError(`${split} = ${count} is too much for one file: take at most ${most} samples`);
    }
  }
  return { task: name, seed, train, test, parameters };
}

/** The usual parameters of a task with those that are given in their place. */
function taskParameters(name: TaskName, given: GenerateOptions["parameters"] = {}): TaskParameters {
  const source = sourceOf(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(source.parameters, key)) continue;
    throw new OptionError(`${key} is an option of ${ownersOf(key).join(", ") || "no task"}, not of ${name}`);
  }
  return sourceParameters(name, source, given);
}

/** Bytes of an array that the HDF5 library can take: its memory ends at 2 GiB. */
const LARGEST_ARRAY = 2e9;
/** Blocks are what threads take at a time: many of them, so that all threads end together. */
const BLOCKS = 60;

/** The work in pieces, in order. */
export function sampleBlocks(
  specification: GenerateSpecification,
): { readonly split: Split; readonly start: number; readonly end: number }[] {
  const blocks = [];
  const size = Math.max(1, Math.min(16, Math.floor((specification.train + specification.test) / BLOCKS)));
  for (const split of ["train", "test"] as const) {
    for (let start = 0; start < specification[split]; start += size) {
      blocks.push({ split, start, end: Math.min(start + size, specification[split]) });
    }
  }
  return blocks;
}

/** A dataset of the right size with zeros in the place of samples. */
export function emptyDataset(specification: GenerateSpecification): GeneratedData {
  const { task, seed, parameters, train, test } = specification;
  return {
    task,
    seed,
    parameters,
    ...taskOf(task).geometry(parameters),
    train: emptySamples(specification, train),
    test: emptySamples(specification, test),
  };
}

function emptySamples({ task, parameters }: GenerateSpecification, samples: number): Samples {
  const { dtype, geometry } = taskOf(task);
  const { inputShape, responseShape } = geometry(parameters);
  const zeros = (shape: readonly number[]) =>
    new (dtype === "float32" ? Float32Array : Float64Array)(samples * elements(shape));
  return { samples, inputs: zeros(inputShape), responses: zeros(responseShape) };
}

/** Writes a block of samples to where it belongs. */
export function placeSamples(dataset: GeneratedData, split: Split, start: number, block: Samples): void {
  dataset[split].inputs.set(block.inputs, start * elements(dataset.inputShape));
  dataset[split].responses.set(block.responses, start * elements(dataset.responseShape));
}
