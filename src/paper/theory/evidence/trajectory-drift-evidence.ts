import { minus, norm, plus } from "../../../numerics/vector.js";
import { type Case, caseOf, casesOf, largestHessianNorm } from "../cases.js";
import { type Clients, gradientsOf } from "../clients.js";
import { driftCoefficient, driftDirection } from "../drift-direction.js";
import type { Objective } from "../objectives.js";
import { geometricRates, type RemainderOrder, remainderOrder } from "../remainder-order.js";
import type { OnProgress } from "../setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "../theory-problem.js";
import { trainingRound } from "./local-paths.js";

/** sum_k p_k (H_k - H)(g_k - g) of clients that hold samples. */
export function clientDriftDirection(
  objective: Objective,
  theta: Float64Array,
  { groups, weights }: Clients,
  gradients: readonly Float64Array[],
): Promise<Float64Array> {
  return driftDirection((k, v) => objective.hessianVector(theta, v, groups[k]), gradients, weights);
}

/** Lengths at one learning rate and number of local steps. */
export interface DriftPoint {
  readonly rate: number;
  readonly steps: number;
  /** ||theta_FA - theta_C|| */
  readonly drift: number;
  /** eta^2 c_E ||sum_k p_k (H_k - H)(g_k - g)|| */
  readonly leading: number;
  /** What is left of the drift without its leading term. */
  readonly remainder: number;
  /** Below it a length is round-off. */
  readonly floor: number;
}

export interface DriftCase extends Case {
  /** Largest Hessian norm of a client, L of ass:app-second at theta. */
  readonly smoothness: number;
  /** sum_k p_k ||g_k||, what a step's length is measured by. */
  readonly gradientSize: number;
  readonly points: readonly DriftPoint[];
  /** By number of steps: the order of the remainder where eta L E is small, if enough rates are above round-off. */
  readonly orders: readonly (RemainderOrder & { readonly steps: number })[];
}

export interface DriftEvidence {
  readonly task: string;
  readonly alpha: number;
  readonly clients: number;
  /** The paper's learning rate of SGD and number of local steps. */
  readonly paperRate: number;
  readonly paperSteps: number;
  readonly cases: readonly DriftCase[];
}

/** Concentration of the partition at which drift and dispersion are looked at. */
export const CHECKED_ALPHA = 0.1;
export const PAPER_RATE = 0.01;
/** Orders are taken where eta L E is at most this. */
export const SMALL_STEP = 0.1;
/** Learning rates go down from this. */
const LARGEST_RATE = 0.1;
/** Multiples of the round-off of one step that count as round-off, for each step. */
const FLOOR = 16;

/** Follows every client and the centralised comparator over learning rates, from the same points. */
export async function gatherTrajectoryDrift(
  problems: TheoryProblems,
  onProgress?: OnProgress,
): Promise<DriftEvidence> {
  const all = casesOf(problems);
  const cases: DriftCase[] = [];
  for (const { problem, start } of all) {
    cases.push(await driftCase(problem, start));
    onProgress?.(cases.length, all.length);
  }
  const { title, options } = problems.smooth;
  return {
    task: title,
    alpha: CHECKED_ALPHA,
    clients: options.clients,
    paperRate: PAPER_RATE,
    paperSteps: options.localSteps,
    cases,
  };
}

async function driftCase(problem: TheoryProblem, start: StartingPoint): Promise<DriftCase> {
  const { train, effort } = problem;
  const { theta } = start;
  const clients = problem.partition(CHECKED_ALPHA);
  const gradients = await gradientsOf(train, theta, clients.groups);
  const direction = await clientDriftDirection(train, theta, clients, gradients);
  const smoothness = await largestHessianNorm(train, theta, clients, effort.lanczos);
  const gradientSize = gradients.reduce((sum, g, k) => sum + clients.weights[k] * norm(g), 0);
  const points: DriftPoint[] = [];
  for (const rate of geometricRates(LARGEST_RATE, effort.decades, effort.perDecade)) {
    const steps = Math.max(...effort.steps);
    const round = await trainingRound(train, theta, clients, { rate, steps, gradients });
    // After one step both models are equal: what they differ by is round-off, here and with these gradients.
    const roundOff = Math.max(
      Number.EPSILON * rate * gradientSize,
      norm(minus(round.federated[0], round.centralised[0])),
    );
    for (const taken of effort.steps) {
      const drift = minus(round.federated[taken - 1], round.centralised[taken - 1]);
      const factor = rate * rate * driftCoefficient(taken);
      points.push({
        rate,
        steps: taken,
        drift: norm(drift),
        leading: factor * norm(direction),
        remainder: norm(plus(drift, direction, -factor)),
        floor: FLOOR * taken * roundOff,
      });
    }
  }
  const orders = effort.steps
    .filter((steps) => steps > 1)
    .flatMap((steps) => {
      const remainders = points
        .filter((point) => point.steps === steps)
        .map(({ rate, remainder, floor }) => ({ rate, size: remainder, floor }));
      const order = remainderOrder(remainders, SMALL_STEP / (smoothness * steps));
      return order ? [{ steps, ...order }] : [];
    });
  return { ...caseOf(problem, start), smoothness, gradientSize, points, orders };
}
