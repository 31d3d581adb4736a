import type { Fields } from "../datasets/fields.js";
import type { TaskCoordinates, TaskName } from "../datasets/tasks.js";
import type { DeepOnetSizes } from "../models/deeponet.js";
import type { SolutionBins } from "../partition/bins.js";
import { partitionBins } from "../partition/partition.js";
import { indicesOfClients } from "../partition/record.js";
import {
  type MeasuredPartition,
  measurePartition,
  type ScaledInputs,
} from "../protocol/partition-dataset.js";
import { deepOnetOperator } from "./deeponet-operator.js";
import type { Operator, Training, TrainingSamples } from "./operator.js";
import type { RunOptions } from "./run-options.js";

/** What all runs of a seed share, whatever their alpha: data and solution bins. */
export interface TaskData {
  readonly train: TrainingSamples;
  readonly test: TrainingSamples;
  /** Coordinates of the output points, points x coordinates. */
  readonly points: Float32Array;
  readonly bins: SolutionBins;
  /** Training inputs as they were generated, for the input-space distance. */
  readonly scaledInputs: ScaledInputs;
}

/** Clients with their data, and the model that they train. */
export interface FederatedProblem {
  readonly train: TrainingSamples;
  readonly test: TrainingSamples;
  /** Training samples of every client. */
  readonly clientIndices: readonly Int32Array[];
  /** Share of every client in the training set, p_k = n_k / N. */
  readonly weights: Float64Array;
  /** The model, and how it learns from the training samples. */
  readonly operator: Operator;
  readonly training: Training;
  readonly measured: MeasuredPartition;
}

/** Width and depth of the paper's networks (tab:controlled-tasks). */
export const DEEPONETS: Readonly<Record<TaskName, Pick<DeepOnetSizes, "width" | "depth">>> = {
  antiderivative: { width: 40, depth: 2 },
  burgers: { width: 64, depth: 2 },
  "diffusion-reaction": { width: 100, depth: 3 },
};

/** Splits the data over clients as the options say. */
export async function federatedProblem(data: TaskData, options: RunOptions): Promise<FederatedProblem> {
  const { train, test, points, bins, scaledInputs } = data;
  const partition = partitionBins(bins.binOfSample, { ...options, bins: bins.bins });
  const clientIndices = indicesOfClients(partition).map((indices) => Int32Array.from(indices));
  const outputs = train.responses.length / train.samples;
  const sizes = {
    sensors: train.inputs.length / train.samples,
    coordinates: points.length / outputs,
    ...DEEPONETS[options.task],
  };
  const operator = deepOnetOperator(sizes, points);
  return {
    train,
    test,
    clientIndices,
    weights: Float64Array.from(clientIndices, (indices) => indices.length / train.samples),
    operator,
    training: operator.training(train),
    measured: await measurePartition(partition, bins, scaledInputs),
  };
}

/** Output points in the order of a response: x, then t, which runs fastest. */
export function gridPoints({ x, t }: TaskCoordinates): Float32Array {
  if (!t) return Float32Array.from(x);
  const points = new Float32Array(2 * x.length * t.length);
  x.forEach((place, i) => {
    t.forEach((time, j) => {
      points.set([place, time], 2 * (i * t.length + j));
    });
  });
  return points;
}

/** Generated fields as a model takes them. */
export async function trainingSamples(inputs: Fields, responses: Fields): Promise<TrainingSamples> {
  const float32 = async (fields: Fields) => Float32Array.from(await fields.read(0, fields.samples));
  return { samples: inputs.samples, inputs: await float32(inputs), responses: await float32(responses) };
}
