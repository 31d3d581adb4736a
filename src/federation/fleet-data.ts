import type { Backend } from "../engine/backend.js";
import type { TrainingSamples } from "../models/trainable-model.js";
import type { FederatedProblem } from "./federated-problem.js";
import { joined } from "./rounds.js";

/** Samples of several runs in one array, and where those of each run begin. Runs with equal samples share them. */
export interface SharedSamples extends TrainingSamples {
  readonly starts: readonly number[];
}

/** Lays the samples of runs one behind another, equal ones once. */
export function shareSamples(ofRuns: readonly TrainingSamples[]): SharedSamples {
  const distinct: TrainingSamples[] = [];
  const places = ofRuns.map((samples) => {
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
    inputs: joined(distinct.map(({ inputs }) => inputs)),
    responses: joined(distinct.map(({ responses }) => responses)),
    starts: places.map((place) => starts[place]),
  };
}

/** Samples of all runs of a fleet, and how their common model learns from those for training. */
export interface FleetData extends Pick<FederatedProblem, "operator" | "training"> {
  readonly train: SharedSamples;
  readonly test: SharedSamples;
}

/** The operators of the runs must be of one kind, as those of a task and its parameters are. */
export function fleetData(problems: readonly FederatedProblem[], { wide }: Pick<Backend, "wide">): FleetData {
  const { operator } = problems[0];
  const train = shareSamples(problems.map((problem) => problem.train));
  const test = shareSamples(problems.map((problem) => problem.test));
  return { operator, train, test, training: operator.training(train, { wide }) };
}

function areEqual(a: TrainingSamples, b: TrainingSamples): boolean {
  const same = (x: Float32Array, y: Float32Array) =>
    x === y || (x.length === y.length && x.every((value, i) => value === y[i]));
  return a.samples === b.samples && same(a.inputs, b.inputs) && same(a.responses, b.responses);
}
