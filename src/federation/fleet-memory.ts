import type { Backend } from "../engine/backend.js";
import type { Program } from "../engine/program.js";
import { largestTensor, workingNumbers } from "../engine/working-memory.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { TaskData } from "./federated-problem.js";
import { fleetProgram } from "./fleet-program.js";
import { ROWS } from "./observables.js";
import type { Training, TrainingSamples } from "./operator.js";
import { stateNames } from "./rounds.js";
import type { RunOptions } from "./run-options.js";

const BYTES = 4;
/** Numbers of a tensor that backends can count. */
const LONGEST = 2 ** 31 - 1;

/** How many runs like this one go side by side in so many bytes of memory; at least one. */
export function fittingRuns(
  data: SizedData,
  options: RunOptions,
  backend: Pick<Backend, "wide">,
  memory: number,
): number {
  const training = data.operator.training(firstOf(data.train), backend);
  if (!training.manyClients) return 1;
  const largest = largestTensor(roundOfOne(training, options, backend));
  const fitting = Math.min(memory / runBytes(data, options, backend), LONGEST / largest);
  return Math.max(1, Math.floor(fitting));
}

type SizedData = Pick<TaskData, "operator" | "train" | "test">;

/**
 * Bytes that a run takes among others, at most, if it has data of its own: samples as they are and as training holds
 * them, parameters and optimiser states before and after a round, and what a round and an evaluation work with.
 */
export function runBytes(
  { operator, train, test }: SizedData,
  options: RunOptions,
  backend: Pick<Backend, "wide">,
): number {
  const training = operator.training(firstOf(train), backend);
  const round = workingNumbers(roundOfOne(training, options, backend));
  const size = ({ inputs, responses }: TrainingSamples) => inputs.length + responses.length;
  const held = 2 * size(train) + size(test);
  const state = parameterCount(operator.layout) * (1 + options.clients * stateNames(options).length);
  // Prediction, truth, their difference and its square, on training and on test samples.
  const evaluation = 2 * 4 * ROWS * operator.activation;
  return BYTES * (round + held + 2 * state + evaluation);
}

function roundOfOne(training: Training, options: RunOptions, backend: Pick<Backend, "wide">): Program {
  const { clients, batch: rows } = options;
  return fleetProgram(training, options, { runs: 1, clients, rows }, backend);
}

/** One sample, which is enough to know the shapes of a program. */
function firstOf({ samples, inputs, responses }: TrainingSamples): TrainingSamples {
  return {
    samples: 1,
    inputs: inputs.subarray(0, inputs.length / samples),
    responses: responses.subarray(0, responses.length / samples),
  };
}
