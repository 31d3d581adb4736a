import type { LabelledFile } from "../datasets/fields.js";
import {
  type GenerateOptions,
  type GenerateSpecification,
  generateSpecification,
} from "../datasets/generate.js";
import { type ModelName, type TaskName, type TaskParameters, taskOf } from "../datasets/tasks.js";
import { adam, type Optimizer, sgd } from "../engine/optimizers.js";
import { OptionError } from "../errors.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { checkOptions } from "../partition/partition.js";
import { REPAIR_RULES, type RepairRule } from "../partition/repair.js";
import { checkModel } from "./model-options.js";

/** A client's optimiser and its learning rate. */
export type OptimizerOptions =
  | { readonly name: "adam"; readonly rate: number }
  | { readonly name: "sgd"; readonly rate: number; readonly momentum: number };

/** What becomes of a client's optimiser state between rounds. The paper keeps it. */
export type ClientState = "keep" | "reset" | "average";
export const CLIENT_STATES: readonly ClientState[] = ["keep", "reset", "average"];

/**
 * How inputs and responses are scaled before training: not at all, or by one mean and one standard deviation each, of all
 * numbers or of each channel, fitted on the whole training set and the same for every client. Errors are those of the
 * unscaled responses.
 */
export type Normalisation = "none" | "standard" | "channels";
export const NORMALISATIONS: readonly Normalisation[] = ["none", "standard", "channels"];

/** A file of labelled samples to train on in place of generated ones. */
export type DataSource = LabelledFile;

export type BackendName = "onnx" | "reference";
export const BACKENDS: readonly BackendName[] = ["onnx", "reference"];

/** Rounds at which the paper measures. */
export const PAPER_CHECKPOINTS: readonly number[] = [0, 1, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Everything that defines a run; the same options give the same numbers. */
export interface RunOptions {
  readonly task: TaskName;
  /** Parameters of the task: `{ viscosity: 0.1 }`. */
  readonly parameters: TaskParameters;
  /** Data from a file; undefined for generated data. */
  readonly data?: DataSource;
  /** Samples. */
  readonly train: number;
  readonly test: number;
  /** Dirichlet concentration; 100 is the near-IID reference. */
  readonly alpha: number;
  /** Determines bins, partition, initial model and order of batches, and the data unless they have their own seed. */
  readonly seed: number;
  readonly dataSeed: number;
  readonly clients: number;
  readonly bins: number;
  readonly minSize: number;
  readonly repair: RepairRule;
  /** Communication rounds. */
  readonly rounds: number;
  /** Optimiser steps per client and round. */
  readonly localSteps: number;
  /** Batch size. */
  readonly batch: number;
  readonly optimizer: OptimizerOptions;
  readonly normalise: Normalisation;
  /** Overrides of the default sizes and options of the task's model. */
  readonly model: Readonly<Record<string, number | string>>;
  readonly clientState: ClientState;
  readonly backend: BackendName;
  /** Use TF32 for matrix products on a GPU: faster, with a 10-bit mantissa. Absent means float32, as on the CPU. */
  readonly tf32?: boolean;
  /** Threads of the engine. One is best for parallel runs, and gives the same bits every time. */
  readonly threads: number;
  /** Rounds at which the run is measured, ascending, the last one included. */
  readonly checkpoints: readonly number[];
}

/** Options as a user gives them. Others default to the paper's values, or to ours where it states none (docs/readings.md). */
export type GivenRunOptions = Pick<RunOptions, "task" | "alpha"> &
  Partial<Omit<RunOptions, "parameters">> &
  Pick<GenerateOptions, "parameters">;

/** Learning rates of the paper. */
export const DEFAULT_OPTIMIZERS: Readonly<Record<OptimizerOptions["name"], OptimizerOptions>> = {
  adam: { name: "adam", rate: 1e-3 },
  sgd: { name: "sgd", rate: 1e-2, momentum: 0.9 },
};

/** What the paper says of training by kind of model, and ours where it is silent. */
const DEFAULTS: Readonly<Record<ModelName, Pick<RunOptions, "batch" | "normalise">>> = {
  deeponet: { batch: 64, normalise: "none" },
  fno2d: { batch: 16, normalise: "channels" },
  "inversion-net": { batch: 16, normalise: "none" },
};

export function optimizerOf(options: OptimizerOptions): Optimizer {
  return options.name === "adam" ? adam(options) : sgd(options);
}

/** Fills in defaults and refuses options that make no sense. */
export function runOptions(given: GivenRunOptions): RunOptions {
  const { task, seed, train, test, parameters } = given.data
    ? importedSpecification(given, given.data)
    : generateSpecification(given);
  const usual = DEFAULTS[taskOf(task).model];
  const rounds = given.rounds ?? 1000;
  const options: RunOptions = {
    task,
    parameters,
    ...(given.data && { data: given.data }),
    train,
    test,
    alpha: given.alpha,
    seed,
    dataSeed: given.data?.seed ?? given.dataSeed ?? taskOf(task).dataSeed ?? seed,
    clients: given.clients ?? 10,
    bins: given.bins ?? DEFAULT_BINS,
    minSize: given.minSize ?? taskOf(task).minSize,
    repair: given.repair ?? "closest",
    rounds,
    localSteps: given.localSteps ?? 5,
    batch: given.batch ?? usual.batch,
    optimizer: given.optimizer ?? DEFAULT_OPTIMIZERS.adam,
    normalise: given.normalise ?? usual.normalise,
    model: given.model ?? {},
    clientState: given.clientState ?? "keep",
    backend: given.backend ?? "onnx",
    ...(given.tf32 && { tf32: true }), // names of runs without it stay as they were
    threads: given.threads ?? 1,
    checkpoints: checkpointsUpTo(rounds, given.checkpoints ?? PAPER_CHECKPOINTS),
  };
  check(options);
  checkModel(options);
  return options;
}

/** What a file says takes the place of what is generated. */
function importedSpecification(
  { task, seed = 0, train, test, parameters = {} }: GivenRunOptions,
  data: DataSource,
): GenerateSpecification {
  if (data.task !== task) throw new OptionError(`${data.file} holds data of ${data.task}, not of ${task}`);
  const given = Object.entries({ train, test, ...parameters }).find(([, value]) => value !== undefined);
  if (given) throw new OptionError(`${given[0]} is an option of generated data; ${data.file} determines it`);
  return { task, seed, train: data.train, test: data.test, parameters: data.parameters };
}

/** The wanted rounds that a run of this length has, ascending, and its last one. */
export function checkpointsUpTo(rounds: number, wanted: readonly number[]): readonly number[] {
  const odd = wanted.find((round) => !Number.isSafeInteger(round) || round < 0);
  if (odd !== undefined) throw new OptionError(`checkpoint ${odd} is not a round: 0, 1, 2, ...`);
  return [...new Set([...wanted.filter((round) => round <= rounds), rounds])].sort((a, b) => a - b);
}

function check(options: RunOptions): void {
  checkOptions(options.train, options);
  if (options.test < 1) throw new OptionError("test = 0: there are no samples to measure the error on");
  const { rounds, localSteps, batch, threads, optimizer } = options;
  if (!Number.isSafeInteger(rounds) || rounds < 0)
    throw new OptionError(`rounds is a whole number from 0 on, not ${rounds}`);
  for (const [name, value] of Object.entries({ "local steps": localSteps, batch, threads })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new OptionError(`${name} is a whole number from 1 on, not ${value}`);
  }
  oneOf("repair", options.repair, REPAIR_RULES);
  oneOf("normalise", options.normalise, NORMALISATIONS);
  oneOf("client state", options.clientState, CLIENT_STATES);
  oneOf("backend", options.backend, BACKENDS);
  oneOf("optimizer", optimizer.name, Object.keys(DEFAULT_OPTIMIZERS));
  if (!(optimizer.rate > 0 && optimizer.rate < Infinity))
    throw new OptionError(`the learning rate is a positive number, not ${optimizer.rate}`);
  if (optimizer.name === "sgd" && !(optimizer.momentum >= 0 && optimizer.momentum < 1))
    throw new OptionError(`momentum is a number from 0 to below 1, not ${optimizer.momentum}`);
}

function oneOf(what: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw new OptionError(`${what} "${value}" is none of ${allowed.join(", ")}`);
}
