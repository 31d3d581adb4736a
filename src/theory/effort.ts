import type { Operator } from "../federation/operator.js";
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
  /** Partitions of each concentration. */
  readonly seeds: number;
  /** Repetitions of mini-batch steps, and sizes of batches. */
  readonly draws: number;
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
  seeds: 5,
  draws: 8,
  batches: [1, 8, 64],
  upperAlphas: [100, 0.01],
  lanczos: 8,
};

const QUICK: Effort = {
  starts: ["trained"],
  rounds: 30,
  decades: 7,
  perDecade: 1,
  steps: [1, 2, 5],
  seeds: 2,
  draws: 3,
  batches: [1, 8],
  upperAlphas: [0.01],
  lanczos: 4,
};

/** Numbers of a sample's largest activation from which an operator is too slow for more than the quick checks. */
const LARGE = 2000;

export function effortOf({ activation }: Pick<Operator, "activation">): Effort {
  return activation < LARGE ? THOROUGH : QUICK;
}
