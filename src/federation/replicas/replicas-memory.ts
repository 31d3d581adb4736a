import type { Backend, Demand } from "../../engine/backend.js";
import { demandOf } from "../../engine/working-memory.js";
import { DataError } from "../../errors.js";
import { parameterCount } from "../../models/parameter-layout.js";
import type { PreparedData } from "../federation.js";
import { evaluationRows } from "../observables/observables.js";
import { averageRound } from "../rounds/average-round.js";
import { clientVectors, serverVectors } from "../rounds/client-vectors.js";
import { samplesInRound } from "../rounds/round-sizes.js";
import type { RunOptions } from "../run-options.js";
import { isStored, type Samples, sizesOf } from "../samples/stored-samples.js";
import { trainedCount } from "../trained-clients.js";

const BYTES = 4;
/** Numbers of a tensor that backends can count. */
const LONGEST = 2 ** 31 - 1;

type SizedData = Pick<PreparedData<Samples>, "operator" | "train" | "test">;
type Needing = Pick<Backend, "prefersLargeKernels" | "demand">;

/** Refuses samples that a GPU has no room for, or that it would have to read from disk. */
export function checkSamplesFit(
  { train, test }: Pick<SizedData, "train" | "test">,
  { prefersLargeKernels, memory = Infinity }: Pick<Backend, "prefersLargeKernels" | "memory">,
): void {
  if (!prefersLargeKernels) return;
  if (isStored(train) || isStored(test))
    throw new DataError("a GPU holds all samples in its memory: prepare the data without a limit of memory");
  const numbers = [train, test].reduce(
    (sum, { inputs, responses }) => sum + inputs.length + responses.length,
    0,
  );
  if (BYTES * numbers <= memory) return;
  const gigabytes = (bytes: number) => (bytes / 1e9).toPrecision(3);
  throw new DataError(
    `the samples take ${gigabytes(BYTES * numbers)} GB in float32, but the GPU has ${gigabytes(memory)} GB: ` +
      "use --device cpu, which can read them from disk",
  );
}

/** How many replicas of a run fit into so many bytes of memory; at least one. */
export function fittingReplicas(
  data: SizedData,
  options: RunOptions,
  backend: Needing,
  memory: number,
): number {
  const round = demandOfRound(data, options, backend);
  const bytes = (replicas: number) => bytesOf(data, options, backend, round.working, replicas);
  let replicas = Math.max(1, Math.floor(Math.min(memory / bytes(1), LONGEST / round.largest)));
  // A replica alone may take less, or more, than its share of a batch.
  while (replicas > 1 && bytes(replicas) > memory) replicas--;
  while (bytes(replicas + 1) <= memory && (replicas + 1) * round.largest <= LONGEST) replicas++;
  return replicas;
}

/** Numbers that a round works with, of as many replicas as keep any GPU busy. */
const BUSY = 2 ** 32;

/** How many replicas of a run keep a GPU busy; more of them gain nothing. */
export function busyReplicas(data: SizedData, options: RunOptions, backend: Needing): number {
  return Math.ceil(BUSY / demandOfRound(data, options, backend).working);
}

/**
 * Upper bound of the bytes that so many replicas take, if each has data of its own: samples as they are and as training
 * holds them, parameters and clients' vectors before and after a round, and the working memory of rounds and evaluations.
 */
export function replicaBytes(
  data: SizedData,
  options: RunOptions,
  backend: Needing,
  replicas: number,
): number {
  return bytesOf(data, options, backend, demandOfRound(data, options, backend).working, replicas);
}

function bytesOf(
  { operator, train, test }: SizedData,
  options: RunOptions,
  backend: Needing,
  round: number,
  replicas: number,
): number {
  const held = 2 * numbersHeld(train, options) + numbersHeld(test, options);
  const clients = trainedCount(options.clients, options);
  const vectors = 1 + serverVectors(options).length + clients * clientVectors(options).length;
  const state = parameterCount(operator.layout) * vectors;
  const rows = evaluationRows(operator, replicas, Math.max(train.samples, test.samples), backend);
  // Prediction, truth, their difference and its square, on training and on test samples.
  const evaluation = 2 * 4 * rows.errors * operator.activation;
  // Gradients at the start: of one client at a time, of some of its samples.
  const gradients = (round * rows.gradients) / (clients * options.batch);
  return BYTES * replicas * (round + held + 2 * state + evaluation + gradients);
}

/** What a round of one replica needs. */
function demandOfRound(data: SizedData, options: RunOptions, backend: Needing): Demand {
  const program = averageRound(data.operator, sizesOf(data.train), data.train.samples, options, backend);
  return backend.demand?.(program) ?? demandOf(program);
}

/** Numbers of samples in memory: all of them, or two windows of a round. */
function numbersHeld(samples: Samples, options: RunOptions): number {
  const { inputs, responses } = sizesOf(samples);
  const ofClient = samplesInRound(Math.ceil(samples.samples / options.clients), options);
  const held = isStored(samples) ? 2 * options.clients * ofClient : samples.samples;
  return Math.min(held, samples.samples) * (inputs + responses);
}
