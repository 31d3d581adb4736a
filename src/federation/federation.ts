import type { DatasetDescription } from "../datasets/dataset.js";
import type { InputSpace } from "../diagnostics/input-distance.js";
import type { DataShapes } from "../models/model.js";
import type { TrainableModel as Operator, Training, TrainingSamples } from "../models/trainable-model.js";
import { indicesOfClients } from "../partition/assignment.js";
import { binCost, type SolutionBins } from "../partition/bins.js";
import type { Known } from "../partition/partitioner.js";
import { type MeasuredPartition, partitionBinned } from "../pipeline/measured-partition.js";
import { findAlpha } from "../pipeline/target-distance.js";
import { checkParameters } from "./chosen-model.js";
import type { RunOptions } from "./run-options.js";
import { isStored, type Samples } from "./samples/stored-samples.js";
import type { Scaling } from "./scaling.js";

/**
 * Data, model and solution bins, which all runs of a seed share for every alpha. Samples are arrays in memory, unless
 * they may be `Samples` of any kind.
 */
export interface PreparedData<S extends Samples = TrainingSamples> {
  readonly train: S;
  readonly test: S;
  /** The scaling that turned the original values into these. */
  readonly scaling: Scaling;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Channels and grids of inputs and responses. */
  readonly shapes: DataShapes;
  /** Where the data come from: `simulated by ...` or `imported from ...`. */
  readonly origin: string;
  /** What a source, or a user's own file, says of its data; nothing of a file that holds data of a task. */
  readonly description: Partial<DatasetDescription>;
  readonly operator: Operator;
  readonly bins: SolutionBins;
  /** Bin of every test sample, where it can be told. */
  readonly binOfTest?: Int32Array;
  /** Training inputs as they are in the data, for the input-space distance, where it is wanted. */
  readonly inputSpace?: InputSpace;
  /** Group of every training sample, where samples of a group stay together. */
  readonly groups?: Int32Array;
  /** What the partitioner of the run wants to know of every training sample. */
  readonly known?: Known;
  /** Closes the files of samples that are read from disk. */
  close(): Promise<void>;
}

/** Clients with their data, and the model that they train. */
export interface Federation<S extends Samples = TrainingSamples>
  extends Pick<
    PreparedData<S>,
    | "train"
    | "test"
    | "scaling"
    | "operator"
    | "inputShape"
    | "responseShape"
    | "shapes"
    | "origin"
    | "description"
    | "binOfTest"
  > {
  /** Training samples of every client. */
  readonly clientIndices: readonly Int32Array[];
  /** Share of every client in the training set, p_k = n_k / N. */
  readonly weights: Float64Array;
  /** How the model learns from the training samples, where they are in memory. */
  readonly training: S extends TrainingSamples ? Training : undefined;
  readonly measured: MeasuredPartition;
}

/**
 * Splits the data among clients according to the options.
 *
 * @param kept `plans: false` where nobody stores the optimal plans of all pairs of clients: a thousand clients have
 *   millions of entries
 */
export async function federate<S extends Samples>(
  data: PreparedData<S>,
  options: RunOptions,
  { plans }: { readonly plans?: boolean } = {},
): Promise<Federation<S>> {
  checkParameters(data.operator.layout, options);
  const { bins, inputSpace, groups, known, close: _, ...shared } = data;
  const binned = { bins, inputs: inputSpace, groups };
  const measured = await partitionBinned(binned, { ...options, alpha: alphaOf(data, options), plans }, known);
  const clientIndices = indicesOfClients(measured.partition).map((indices) => Int32Array.from(indices));
  // Some splits of other tools leave samples out.
  const samples = clientIndices.reduce((sum, { length }) => sum + length, 0);
  return {
    ...shared,
    clientIndices,
    weights: Float64Array.from(clientIndices, (indices) => indices.length / samples),
    training: (isStored(data.train)
      ? undefined
      : cachedTraining(data.operator, data.train)) as Federation<S>["training"],
    measured,
  };
}

/** The concentration: the one that was asked for, or the one whose D_sol comes closest to a target. */
function alphaOf(
  { bins, groups, known }: Pick<PreparedData<Samples>, "bins" | "groups" | "known">,
  { alpha, targetDistance, ...options }: RunOptions,
): number | null {
  if (targetDistance === undefined) return alpha;
  const search = { ...options, bins: bins.bins, target: targetDistance, groups, known };
  return findAlpha(bins.binOfSample, binCost(bins), search).alpha;
}

/** Runs of the same operator on the same data hold them once. */
const trainings = new WeakMap<TrainingSamples, WeakMap<Operator, Training>>();

function cachedTraining(operator: Operator, train: TrainingSamples): Training {
  const ofSamples = trainings.get(train) ?? new WeakMap<Operator, Training>();
  const training = ofSamples.get(operator) ?? operator.training(train);
  trainings.set(train, ofSamples.set(operator, training));
  return training;
}
