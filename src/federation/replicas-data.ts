import type { Backend } from "../engine/backend.js";
import type { TrainingSamples } from "../models/trainable-model.js";
import type { Federation } from "./federation.js";
import { joinedVectors } from "./trainer-state.js";

/** Samples of several replicas in one array, and where those of each begin. Replicas with equal samples share them. */
export interface SharedSamples extends TrainingSamples {
  readonly starts: readonly number[];
}

/** Lays the samples of replicas end to end, equal ones once. */
export function shareSamples(ofReplicas: readonly TrainingSamples[]): SharedSamples {
  const distinct: TrainingSamples[] = [];
  const places = ofReplicas.map((samples) => {
    const known = distinct.findIndex((other) => areEqual(samples, other));
    return known >= 0 ? known : distinct.push(samples) - 1;
  });
  if (distinct.length === 1) return { ...distinct[0], starts: places };
  let end = 0;
  const starts = distinct.map(({ samples }) => {
    end += samples;
    return end - samples;
  });
  return {
    samples: end,
    inputs: joinedVectors(distinct.map(({ inputs }) => inputs)),
    responses: joinedVectors(distinct.map(({ responses }) => responses)),
    starts: places.map((place) => starts[place]),
  };
}

/** Samples of all replicas of a batch, and how their common model learns from those for training. */
export interface ReplicaData extends Pick<Federation, "operator" | "training"> {
  readonly train: SharedSamples;
  readonly test: SharedSamples;
}

/** The operators of the replicas must be of one kind, as those of a task and its parameters are. */
export function replicaData(
  problems: readonly Pick<Federation, "operator" | "training" | "train" | "test">[],
  { prefersLargeKernels: largeKernels }: Pick<Backend, "prefersLargeKernels">,
): ReplicaData {
  const [{ operator, training, train: first }] = problems;
  const train = shareSamples(problems.map((problem) => problem.train));
  const test = shareSamples(problems.map((problem) => problem.test));
  const isPrepared = !largeKernels && train.inputs === first.inputs;
  return {
    operator,
    train,
    test,
    training: isPrepared ? training : operator.training(train, { largeKernels }),
  };
}

function areEqual(a: TrainingSamples, b: TrainingSamples): boolean {
  const same = (x: Float32Array, y: Float32Array) =>
    x === y || (x.length === y.length && x.every((value, i) => value === y[i]));
  return a.samples === b.samples && same(a.inputs, b.inputs) && same(a.responses, b.responses);
}
