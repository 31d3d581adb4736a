import { taskOf } from "../../datasets/tasks.js";
import { onnxDoubleBackend } from "../../engine/onnx/onnx-backend.js";
import { runModel } from "../../federation/chosen-model.js";
import { federate } from "../../federation/federation.js";
import type { RunOptions } from "../../federation/run-options.js";
import { train } from "../../federation/trainer.js";
import type { Activation } from "../../models/activation.js";
import type { SolutionBins } from "../../partition/bins.js";
import { partitionBins } from "../../partition/partition.js";
import { checkedModel } from "./checked-models.js";
import { type Clients, clientsOf } from "./clients.js";
import { type Effort, effortOf } from "./effort.js";
import { gradientGram, type Objective, openObjective, type SampleGroup } from "./objectives.js";
import type { TheorySetting } from "./setting.js";

/** A parameter vector at which statements are checked. */
export interface StartingPoint {
  readonly name: "initial" | "trained";
  /** Rounds of federated training behind it. */
  readonly rounds: number;
  readonly theta: Float64Array;
  /** Scalar products of the gradients of all single training samples, computed when they are first asked for. */
  gradientGram(): Promise<Float64Array>;
}

/** A task with an operator of a chosen activation, its objectives in double precision, and points to check them at. */
export interface TheoryProblem {
  readonly title: string;
  readonly activation: Activation;
  readonly smooth: boolean;
  readonly options: RunOptions;
  readonly effort: Effort;
  readonly bins: SolutionBins;
  /** The samples of every bin, F_b's. */
  readonly binGroups: readonly SampleGroup[];
  /** Objectives on the training set. */
  readonly train: Objective;
  /** The common risk: the same loss on the test set. */
  readonly risk: Objective;
  readonly starts: readonly StartingPoint[];
  /** The clients of a Dirichlet partition of the samples; `seed` is that of the options unless told otherwise. */
  partition(alpha: number, seed?: number): Clients;
  close(): Promise<void>;
}

/** The statements' case and, beside it, one with kinks; the paper names no activation. */
export interface TheoryProblems {
  readonly smooth: TheoryProblem;
  readonly kinked: TheoryProblem;
  close(): Promise<void>;
}

/** Concentration of the training that leads to the trained point, so that the point belongs to no partition that is checked there. */
const REFERENCE_ALPHA = 100;

/** Opens a task with both activations; `overrides` change how much is measured. */
export async function openTheoryProblems(
  setting: TheorySetting,
  overrides: Partial<Effort> = {},
): Promise<TheoryProblems> {
  const { smooth, kinked } = checkedModel(setting.options);
  const problems = {
    smooth: await openTheoryProblem(setting, { activation: smooth, smooth: true, overrides }),
    kinked: await openTheoryProblem(setting, { activation: kinked, smooth: false, overrides }),
  };
  return {
    ...problems,
    async close() {
      await problems.smooth.close();
      await problems.kinked.close();
    },
  };
}

async function openTheoryProblem(
  { data, options: given }: TheorySetting,
  { activation, smooth, overrides }: { activation: Activation; smooth: boolean; overrides: Partial<Effort> },
): Promise<TheoryProblem> {
  const model = { ...given.model, activation };
  const operator = runModel({ ...given, model }, data.shapes);
  const effort = { ...effortOf(operator), ...overrides };
  const options: RunOptions = {
    ...given,
    model,
    alpha: REFERENCE_ALPHA,
    rounds: effort.rounds,
    checkpoints: [0, effort.rounds],
  };
  const { checkpoints } = await train(await federate({ ...data, operator }, options), options);
  const { bins } = data;
  const together = { together: checkedModel(given).hessianSamples };
  const objectives = {
    train: openObjective(operator, data.train, onnxDoubleBackend, together),
    risk: openObjective(operator, data.test, onnxDoubleBackend, together),
  };
  return {
    title: taskOf(options.task).title,
    activation,
    smooth,
    options,
    effort,
    bins,
    binGroups: Array.from({ length: bins.bins }, (_, bin) => samplesOfBin(bins.binOfSample, bin)),
    ...objectives,
    starts: checkpoints
      .map(({ round, parameters }) => startingPoint(objectives.train, round, Float64Array.from(parameters)))
      .filter(({ name }) => effort.starts.includes(name)),
    partition: (alpha, seed = options.seed) =>
      clientsOf(partitionBins(bins.binOfSample, { ...options, bins: bins.bins, alpha, seed })),
    async close() {
      await objectives.train.close();
      await objectives.risk.close();
    },
  };
}

function startingPoint(train: Objective, rounds: number, theta: Float64Array): StartingPoint {
  let gram: Promise<Float64Array> | undefined;
  return {
    name: rounds === 0 ? "initial" : "trained",
    rounds,
    theta,
    gradientGram: () => {
      gram ??= gradientGram(train, theta, onnxDoubleBackend);
      return gram;
    },
  };
}

function samplesOfBin(binOfSample: Int32Array, bin: number): SampleGroup {
  return Int32Array.from(binOfSample.keys()).filter((sample) => binOfSample[sample] === bin);
}
