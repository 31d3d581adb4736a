import { type ModelName, taskOf } from "../datasets/tasks.js";
import { onnxDoubleBackend } from "../engine/onnx/onnx-backend.js";
import { federatedProblem } from "../federation/federated-problem.js";
import type { RunOptions } from "../federation/run-options.js";
import { taskOperator } from "../federation/task-operator.js";
import { train } from "../federation/trainer.js";
import type { Activation } from "../models/activation.js";
import type { SolutionBins } from "../partition/bins.js";
import { partitionBins } from "../partition/partition.js";
import { type Clients, clientsOf } from "./clients.js";
import { type Objective, openObjective, type SampleGroup } from "./objectives.js";
import type { TheorySetting } from "./setting.js";

/** A parameter vector at which statements are checked. */
export interface StartingPoint {
  readonly name: "initial" | "trained";
  /** Rounds of federated training behind it. */
  readonly rounds: number;
  readonly theta: Float64Array;
}

/** A task with an operator of a chosen activation, its objectives in double precision, and points to check them at. */
export interface TheoryProblem {
  readonly title: string;
  readonly activation: Activation;
  readonly smooth: boolean;
  readonly options: RunOptions;
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

/** The statements' case and, beside it, the paper's operator or what comes closest to it with kinks. */
export interface TheoryProblems {
  readonly smooth: TheoryProblem;
  readonly kinked: TheoryProblem;
  close(): Promise<void>;
}

/** A smooth activation of each model and one with a kink. The paper's FNO2D is smooth as it is. */
export const ACTIVATIONS: Readonly<
  Record<ModelName, { readonly smooth: Activation; readonly kinked: Activation }>
> = {
  deeponet: { smooth: "tanh", kinked: "relu" },
  fno2d: { smooth: "gelu", kinked: "relu" },
  "inversion-net": { smooth: "tanh", kinked: "leaky-relu" },
};

/** Rounds of the product's own training, near-IID, that lead to the trained point. */
const ROUNDS = 200;
/** Concentration of that training, so that the point belongs to no partition that is checked there. */
const REFERENCE_ALPHA = 100;

/** Opens a task with both activations. */
export async function openTheoryProblems(
  setting: TheorySetting,
  { rounds = ROUNDS }: { readonly rounds?: number } = {},
): Promise<TheoryProblems> {
  const { smooth, kinked } = ACTIVATIONS[taskOf(setting.options.task).model];
  const problems = {
    smooth: await openTheoryProblem(setting, { activation: smooth, smooth: true, rounds }),
    kinked: await openTheoryProblem(setting, { activation: kinked, smooth: false, rounds }),
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
  { activation, smooth, rounds }: { activation: Activation; smooth: boolean; rounds: number },
): Promise<TheoryProblem> {
  const options: RunOptions = {
    ...given,
    model: { ...given.model, activation },
    alpha: REFERENCE_ALPHA,
    rounds,
    checkpoints: [0, rounds],
  };
  const { geometry, parameters: usual } = taskOf(options.task);
  const operator = taskOperator(options, {
    inputShape: data.inputShape,
    responseShape: data.responseShape,
    coordinates: geometry(options.data ? usual : options.parameters).coordinates,
  });
  const { checkpoints } = await train(await federatedProblem({ ...data, operator }, options), options);
  const { bins } = data;
  const objectives = {
    train: openObjective(operator, data.train, onnxDoubleBackend),
    risk: openObjective(operator, data.test, onnxDoubleBackend),
  };
  return {
    title: taskOf(options.task).title,
    activation,
    smooth,
    options,
    bins,
    binGroups: Array.from({ length: bins.bins }, (_, bin) => samplesOfBin(bins.binOfSample, bin)),
    ...objectives,
    starts: checkpoints.map(({ round, parameters }) => ({
      name: round === 0 ? "initial" : "trained",
      rounds: round,
      theta: Float64Array.from(parameters),
    })),
    partition: (alpha, seed = options.seed) =>
      clientsOf(partitionBins(bins.binOfSample, { ...options, bins: bins.bins, alpha, seed })),
    async close() {
      await objectives.train.close();
      await objectives.risk.close();
    },
  };
}

function samplesOfBin(binOfSample: Int32Array, bin: number): SampleGroup {
  return Int32Array.from(binOfSample.keys()).filter((sample) => binOfSample[sample] === bin);
}
