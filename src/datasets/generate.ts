import { checkViscosity } from "../equations/burgers.js";
import { drawChebyshev, sampleChebyshev } from "../equations/chebyshev-space.js";
import { OptionError } from "../errors.js";
import { stream } from "../random/stream.js";
import { CONTROLLED_TASKS, type TaskCoordinates, type TaskName, type TaskParameters } from "./tasks.js";

export interface GenerateOptions {
  readonly task: TaskName;
  /** A whole number from 0 on. */
  readonly seed: number;
  /** Number of training and of test samples; the paper's by default. */
  readonly train?: number;
  readonly test?: number;
  /** For Burgers only: 0.1 by default; the paper also has 0.05 and 0.01. The inputs are the same for all. */
  readonly viscosity?: number;
}

export type Split = "train" | "test";

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
  readonly inputs: Float64Array;
  readonly responses: Float64Array;
}

export interface Dataset {
  readonly task: TaskName;
  readonly parameters: TaskParameters;
  readonly seed: number;
  readonly train: Samples;
  readonly test: Samples;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  readonly coordinates: TaskCoordinates;
}

/** Called with the number of samples done and the number in all. */
export type Progress = (done: number, total: number) => void;

/** The labelled dataset of a controlled task. The same options give the same bits on every machine. */
export function generate(options: GenerateOptions, { onProgress }: { onProgress?: Progress } = {}): Dataset {
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
  const { inputShape, responseShape, coordinates, solver } = CONTROLLED_TASKS[specification.task];
  const solve = solver(specification.parameters);
  const inputSize = product(inputShape);
  const responseSize = product(responseShape);
  return (split, start, end) => {
    const samples = end - start;
    const inputs = new Float64Array(samples * inputSize);
    const responses = new Float64Array(samples * responseSize);
    for (let i = 0; i < samples; i++) {
      const coefficients = drawChebyshev(stream(specification.seed, specification.task, split, start + i));
      inputs.set(sampleChebyshev(coefficients, coordinates.sensors), i * inputSize);
      responses.set(solve(coefficients), i * responseSize);
    }
    return { samples, inputs, responses };
  };
}

/** Checks the options and fills in what they leave open. */
export function generateSpecification(options: GenerateOptions): GenerateSpecification {
  const { task: name, seed, viscosity } = options;
  if (!Object.hasOwn(CONTROLLED_TASKS, name)) {
    throw new OptionError(
      `there is no task "${name}"; the tasks are ${Object.keys(CONTROLLED_TASKS).join(", ")}`,
    );
  }
  const task = CONTROLLED_TASKS[name];
  const { train = task.train, test = task.test } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new OptionError(`seed ${seed} is not a whole number from 0 on`);
  }
  for (const [split, count] of Object.entries({ train, test })) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new OptionError(`${split} = ${count} is not a number of samples`);
    }
  }
  const sampleBytes = 8 * Math.max(product(task.inputShape), product(task.responseShape));
  for (const [split, count] of Object.entries({ train, test })) {
    if (count * sampleBytes > LARGEST_ARRAY) {
      const most = Math.floor(LARGEST_ARRAY / sampleBytes);
      throw new OptionError(`${split} = ${count} is too much for one file: take at most ${most} samples`);
    }
  }
  if (train + test === 0) throw new OptionError("train and test are both 0: there is nothing to generate");
  let { parameters } = task;
  if (viscosity !== undefined) {
    if (name !== "burgers") throw new OptionError(`viscosity is an option of burgers, not of ${name}`);
    parameters = { ...parameters, viscosity };
    checkViscosity(viscosity);
  }
  return { task: name, seed, train, test, parameters };
}

/** Bytes of an array that the HDF5 library can take: its memory ends at 2 GiB. */
const LARGEST_ARRAY = 2e9;
const BLOCK = 16; // samples between two reports of progress

/** The work in pieces, in order. */
export function sampleBlocks(
  specification: GenerateSpecification,
): { readonly split: Split; readonly start: number; readonly end: number }[] {
  const blocks = [];
  for (const split of ["train", "test"] as const) {
    for (let start = 0; start < specification[split]; start += BLOCK) {
      blocks.push({ split, start, end: Math.min(start + BLOCK, specification[split]) });
    }
  }
  return blocks;
}

/** A dataset of the right size with zeros in the place of samples. */
export function emptyDataset({ task, seed, train, test, parameters }: GenerateSpecification): Dataset {
  const { inputShape, responseShape, coordinates } = CONTROLLED_TASKS[task];
  const empty = (samples: number): Samples => ({
    samples,
    inputs: new Float64Array(samples * product(inputShape)),
    responses: new Float64Array(samples * product(responseShape)),
  });
  return {
    task,
    parameters,
    seed,
    train: empty(train),
    test: empty(test),
    inputShape,
    responseShape,
    coordinates,
  };
}

/** Writes a block of samples to where it belongs. */
export function placeSamples(dataset: Dataset, split: Split, start: number, block: Samples): void {
  dataset[split].inputs.set(block.inputs, start * product(dataset.inputShape));
  dataset[split].responses.set(block.responses, start * product(dataset.responseShape));
}

function product(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
