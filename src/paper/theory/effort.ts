import type { TrainableModel as Operator } from "../../models/trainable-model.js";
import type { MiniBatchDraws } from "./evidence/sgd-noise-trials.js";
import type { StartingPoint } from "./theory-problem.js";

/** How much is measured. Statements and verdicts are the same; what a check sees is more or less. */
export interface Effort {
  /** Points at which statements are checked. */
  readonly starts: readonly StartingPoint["name"][];
  /** Rounds of training that lead to the trained one. */
  readonly rounds: number;
  /** Decades of learning rates, and rates a decade. */
  readonly decades: number;
  readonly perDecade: number;
  /** Numbers of local steps E, ascending from 1. */
  readonly steps: readonly number[];
  /** Partitions of each concentration: for gradients alone, and where clients are trained as well. */
  readonly gradientSeeds: number;
  readonly seeds: number;
  /** Repetitions of mini-batch steps, and sizes of batches. */
  readonly draws: MiniBatchDraws;
  readonly batches: readonly number[];
  /** Concentrations at which Hessian norms of differences are taken. */
  readonly upperAlphas: readonly number[];
  /** Products with a Hessian for its norm, at most. */
  readonly lanczos: number;
}

const THOROUGH: Effort = {
  starts: ["initial", "trained"],
  rounds: 200,
  decades: 5,
  perDecade: 2,
  steps: [1, 2, 5, 10],
  gradientSeeds: 20,
  seeds: 5,
  draws: { leading: 16, paper: 8 },
  batches: [1, 4, 16, 64],
  upperAlphas: [100, 0.01],
  lanczos: 8,
};

const QUICK: Effort = {
  starts: ["trained"],
  rounds: 10,
  decades: 6,
  perDecade: 1,
  steps: [1, 2, 5],
  gradientSeeds: 4,
  seeds: 2,
  draws: { leading: 8, paper: 3 },
  batches: [1, 2],
  upperAlphas: [0.01],
  lanczos: 4,
};

/** Numbers of a sample's largest activation from which an operator is too slow for more than the quick checks. */
const LARGE = 2000;

export function effortOf({ activation }: Pick<Operator, "activation">): Effort {
  return activation < LARGE ? THOROUGH : QUICK;
}
