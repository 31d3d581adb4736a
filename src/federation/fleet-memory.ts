import type { Backend, Demand } from "../engine/backend.js";
import { demandOf } from "../engine/working-memory.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { TrainingSamples } from "../models/trainable-model.js";
import type { TaskData } from "./federated-problem.js";
import { evaluationRows } from "./fleet-observables.js";
import { fleetProgram } from "./fleet-program.js";
import { stateNames } from "./rounds.js";
import type { RunOptions } from "./run-options.js";

const BYTES = 4;
/** Numbers of a tensor that backends can count. */
const LONGEST = 2 ** 31 - 1;

type SizedData = Pick<TaskData, "operator" | "train" | "test">;
type Needing = Pick<Backend, "wide" | "demand">;

/** How many runs like this one go side by side in so many bytes of memory; at least one. */
export function fittingRuns(data: SizedData, options: RunOptions, backend: Needing, memory: number): number {
  const round = demandOfRound(data, options, backend);
  const bytes = (runs: number) => bytesOf(data, options, backend, round.working, runs);
  let runs = Math.max(1, Math.floor(Math.min(memory / bytes(1), LONGEST / round.largest)));
  // What one run takes alone may be less, or more, than its share among others.
  while (runs > 1 && bytes(runs) > memory) runs--;
  while (bytes(runs + 1) <= memory && (runs + 1) * round.largest <= LONGEST) runs++;
  return runs;
}

/** Numbers that a round works with, of as many runs as keep any GPU busy. */
const BUSY = 2 ** 32;

/** How many runs like this one it takes to keep a GPU busy; more of them gain nothing. */
export function busyRuns(data: SizedData, options: RunOptions, backend: Needing): number {
  return Math.ceil(BUSY / demandOfRound(data, options, backend).working);
}

/**
 * Bytes that so many runs take side by side, at most, if each has data of its own: samples as they are and as training
 * holds them, parameters and optimiser states before and after a round, and what rounds and evaluations work with.
 */
export function fleetBytes(data: SizedData, options: RunOptions, backend: Needing, runs: number): number {
  return bytesOf(data, options, backend, demandOfRound(data, options, backend).working, runs);
}

function bytesOf(
  { operator, train, test }: SizedData,
  options: RunOptions,
  backend: Needing,
  round: number,
  runs: number,
): number {
  const size = ({ inputs, responses }: TrainingSamples) => inputs.length + responses.length;
  const held = 2 * size(train) + size(test);
  const state = parameterCount(operator.layout) * (1 + options.clients * stateNames(options).length);
  const rows = evaluationRows(operator, runs, Math.max(train.samples, test.samples), backend);
  // Prediction, truth, their difference and its square, on training and on test samples.
  const evaluation = 2 * 4 * rows.errors * operator.activation;
  // Gradients at the start: of one client at a time, of some of its samples.
  const gradients = (round * rows.gradients) / (options.clients * options.batch);
  return BYTES * runs * (round + held + 2 * state + evaluation + gradients);
}

/** What a round of one run needs. */
function demandOfRound({ operator, train }: SizedData, options: RunOptions, backend: Needing): Demand {
  const { clients, batch: rows } = options;
  const training = operator.training(firstOf(train), backend);
  const program = fleetProgram(training, options, { runs: 1, clients, rows }, backend);
  return backend.demand?.(program) ?? demandOf(program);
}

/** One sample, which is enough to know the shapes of a program. */
function firstOf({ samples, inputs, responses }: TrainingSamples): TrainingSamples {
  return {
    samples: 1,
    inputs: inputs.subarray(0, inputs.length / samples),
    responses: responses.subarray(0, responses.length / samples),
  };
}
