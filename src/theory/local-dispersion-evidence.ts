import { mean, standardDeviation } from "../analysis/statistics.js";
import { dot, minus, norm, plus } from "../numerics/vector.js";
import { stream } from "../random/stream.js";
import { type Case, caseOf, casesOf, hessianNorm, largestHessianNorm } from "./cases.js";
import { type Clients, gradientsOf } from "./clients.js";
import { localPath } from "./local-paths.js";
import type { Objective, SampleGroup } from "./objectives.js";
import { geometricRates, type RemainderOrder, remainderOrder } from "./remainder-order.js";
import type { OnProgress } from "./setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "./theory-problem.js";
import { CHECKED_ALPHA, driftCoefficient, PAPER_RATE, SMALL_STEP } from "./trajectory-drift-evidence.js";
import { weightedSpread } from "./weighted-centring.js";

/** R_E = eta^2 L G0 E (E - 1) / 2, how far sqrt D_loc may be from eta E sqrt H_g (eq:app-local-bound). */
export function dispersionBound(options: {
  readonly rate: number;
  readonly steps: number;
  /** L */
  readonly smoothness: number;
  /** G0 */
  readonly gradientBound: number;
}): number {
  const { rate, steps, smoothness, gradientBound } = options;
  return rate * rate * smoothness * gradientBound * driftCoefficient(steps);
}

/**
 * The expectation of D_loc of mini-batch steps to leading order: eta^2 (E^2 H_g + E sum_k p_k (1 - p_k) sigma_k^2).
 * Centring takes p_k off each client's own noise; the paper's bound (eq:app-sgd) leaves that out.
 */
export function noisyDispersion(options: {
  readonly rate: number;
  readonly steps: number;
  readonly hG: number;
  readonly weights: ArrayLike<number>;
  /** sigma_k^2, the variance of a client's batch gradient. */
  readonly variances: readonly number[];
}): number {
  const { rate, steps, hG, weights, variances } = options;
  const noise = variances.reduce((sum, variance, k) => sum + weights[k] * (1 - weights[k]) * variance, 0);
  return rate * rate * (steps * steps * hG + steps * noise);
}

/** Full-gradient steps at one learning rate. */
export interface DispersionPoint {
  readonly rate: number;
  readonly steps: number;
  /** sqrt D_loc */
  readonly dispersion: number;
  /** eta E sqrt H_g */
  readonly leading: number;
  /** R_E with L and G0 measured along the paths. */
  readonly bound: number;
  readonly floor: number;
}

/** Mini-batch steps, over repeated draws. */
export interface NoisyPoint {
  readonly rate: number;
  /** Samples of a batch. */
  readonly batch: number;
  /** Mean of D_loc over draws, and its standard error. */
  readonly mean: number;
  readonly standardError: number;
  /** To leading order, with noise. */
  readonly expected: number;
  /** eta E sqrt H_g */
  readonly leading: number;
  /** R_E + eta sqrt(E sum_k p_k sigma_k^2), what sqrt E[D_loc] may be away from it (eq:app-sgd). */
  readonly bound: number;
}

export interface DispersionCase extends Case {
  readonly hG: number;
  /** L and G0 at theta. */
  readonly smoothness: number;
  readonly gradientBound: number;
  readonly points: readonly DispersionPoint[];
  /** Orders of sqrt D_loc - eta E sqrt H_g and of D_loc - eta^2 E^2 H_g, by number of steps. */
  readonly orders: readonly {
    readonly steps: number;
    readonly root: RemainderOrder;
    readonly square: RemainderOrder;
  }[];
  readonly noisy: readonly NoisyPoint[];
}

export interface DispersionEvidence {
  readonly task: string;
  readonly alpha: number;
  readonly clients: number;
  /** Mini-batch steps, and repetitions of them. */
  readonly noisySteps: number;
  readonly draws: number;
  readonly cases: readonly DispersionCase[];
}

/** A learning rate of mini-batch steps at which the leading order is all. */
const LEADING_RATE = 1e-5;
/** Hessian norms are measured at the ends of the paths of rates from this one on; below it paths stay at theta. */
const FAR = 9e-4;
const FLOOR = 16 * Number.EPSILON;

/** Follows clients over learning rates, with full gradients and with mini-batches. */
export async function gatherLocalDispersion(
  problems: TheoryProblems,
  onProgress?: OnProgress,
): Promise<DispersionEvidence> {
  const all = casesOf(problems);
  const cases: DispersionCase[] = [];
  for (const { problem, start } of all) {
    cases.push(await dispersionCase(problem, start));
    onProgress?.(cases.length, all.length);
  }
  const { title, options, effort } = problems.smooth;
  return {
    task: title,
    alpha: CHECKED_ALPHA,
    clients: options.clients,
    noisySteps: options.localSteps,
    draws: effort.draws,
    cases,
  };
}

async function dispersionCase(problem: TheoryProblem, start: StartingPoint): Promise<DispersionCase> {
  const { train, effort } = problem;
  const counts = effort.steps.filter((steps) => steps > 1);
  const { theta } = start;
  const clients = problem.partition(CHECKED_ALPHA);
  const { groups, weights } = clients;
  const gradients = await gradientsOf(train, theta, groups);
  const hG = weightedSpread(gradients, weights);
  const smoothness = await largestHessianNorm(train, theta, clients, effort.lanczos);
  const gradientBound = Math.max(...gradients.map(norm));
  const points: DispersionPoint[] = [];
  for (const rate of geometricRates(PAPER_RATE, effort.decades - 1, effort.perDecade)) {
    const steps = Math.max(...counts);
    const paths: Float64Array[][] = [];
    for (const [k, group] of groups.entries())
      paths.push(await localPath(train, theta, group, { rate, steps, first: gradients[k] }));
    const ends = paths.map((path) => path.at(-1)!);
    const constants = {
      smoothness:
        rate < FAR ? smoothness : Math.max(smoothness, await normAtEnds(problem, theta, clients, ends)),
      gradientBound: Math.max(gradientBound, ...paths.map((path) => longestStep(path) / rate)),
    };
    for (const taken of counts)
      points.push({
        rate,
        steps: taken,
        dispersion: Math.sqrt(
          weightedSpread(
            paths.map((path) => path[taken - 1]),
            weights,
          ),
        ),
        leading: rate * taken * Math.sqrt(hG),
        bound: dispersionBound({ rate, steps: taken, ...constants }),
        floor: FLOOR * rate * taken * gradientBound,
      });
  }
  return {
    ...caseOf(problem, start),
    hG,
    smoothness,
    gradientBound,
    points,
    orders: ordersOf(points, counts, smoothness),
    noisy: await noisyPoints(problem, theta, clients, { gradients, hG, smoothness, gradientBound }),
  };
}

function ordersOf(
  points: readonly DispersionPoint[],
  counts: readonly number[],
  smoothness: number,
): DispersionCase["orders"] {
  return counts.flatMap((steps) => {
    const some = points.filter((point) => point.steps === steps);
    const order = (size: (point: DispersionPoint) => number, floor: (point: DispersionPoint) => number) =>
      remainderOrder(
        some.map((point) => ({ rate: point.rate, size: Math.abs(size(point)), floor: floor(point) })),
        SMALL_STEP / (smoothness * steps),
      );
    const root = order(
      ({ dispersion, leading }) => dispersion - leading,
      ({ floor }) => floor,
    );
    const square = order(
      ({ dispersion, leading }) => dispersion ** 2 - leading ** 2,
      ({ floor, leading }) => 2 * floor * leading,
    );
    return root && square ? [{ steps, root, square }] : [];
  });
}

async function normAtEnds(
  { train, effort }: TheoryProblem,
  theta: Float64Array,
  { groups }: Clients,
  ends: readonly Float64Array[],
): Promise<number> {
  let largest = 0;
  for (const [k, group] of groups.entries())
    largest = Math.max(
      largest,
      await hessianNorm(train, plus(theta, ends[k]), { group, steps: effort.lanczos }),
    );
  return largest;
}

/** The length of the longest step of a path that begins at zero. */
const longestStep = (path: readonly Float64Array[]): number =>
  Math.max(norm(path[0]), ...path.slice(1).map((at, i) => norm(minus(at, path[i]))));

async function noisyPoints(
  problem: TheoryProblem,
  theta: Float64Array,
  clients: Clients,
  at: { gradients: readonly Float64Array[]; hG: number; smoothness: number; gradientBound: number },
): Promise<NoisyPoint[]> {
  const { train, options, effort } = problem;
  const { groups, weights } = clients;
  const { localSteps: steps, seed } = options;
  const single: number[] = [];
  for (const [k, group] of groups.entries())
    single.push(await singleVariance(train, theta, group, at.gradients[k]));
  const found: NoisyPoint[] = [];
  for (const rate of [PAPER_RATE, LEADING_RATE])
    for (const batch of effort.batches) {
      const dispersions: number[] = [];
      let { smoothness, gradientBound } = at;
      for (let draw = 0; draw < effort.draws; draw++) {
        const ends: Float64Array[] = [];
        for (const [k, group] of groups.entries())
          ends.push(
            await noisyPath(train, theta, group, { rate, steps, batch, name: [seed, batch, draw, k] }),
          );
        dispersions.push(weightedSpread(ends, weights));
        // Paths of larger rates leave theta: what is assumed along them is measured at their ends.
        if (rate < FAR) continue;
        for (const [k, group] of groups.entries())
          gradientBound = Math.max(gradientBound, norm(await train.gradient(plus(theta, ends[k]), group)));
        if (draw === 0) smoothness = Math.max(smoothness, await normAtEnds(problem, theta, clients, ends));
      }
      const variances = single.map((variance) => variance / batch);
      const noise = variances.reduce((sum, variance, k) => sum + weights[k] * variance, 0);
      found.push({
        rate,
        batch,
        mean: mean(dispersions),
        standardError: standardDeviation(dispersions) / Math.sqrt(effort.draws),
        expected: noisyDispersion({ rate, steps, hG: at.hG, weights, variances }),
        leading: rate * steps * Math.sqrt(at.hG),
        bound: dispersionBound({ rate, steps, smoothness, gradientBound }) + rate * Math.sqrt(steps * noise),
      });
    }
  return found;
}

/** The displacement after steps on batches that are drawn with replacement, so that their noise is independent. */
async function noisyPath(
  train: Objective,
  theta: Float64Array,
  group: SampleGroup,
  options: {
    readonly rate: number;
    readonly steps: number;
    readonly batch: number;
    readonly name: readonly [seed: number, batch: number, draw: number, client: number];
  },
): Promise<Float64Array> {
  const { rate, steps, batch, name } = options;
  const random = stream(name[0], "theory batches", ...name.slice(1));
  let displacement: Float64Array = new Float64Array(theta.length);
  for (let step = 0; step < steps; step++) {
    const chosen = Int32Array.from({ length: batch }, () => group[random.below(group.length)]);
    displacement = plus(displacement, await train.gradient(plus(theta, displacement), chosen), -rate);
  }
  return displacement;
}

/** E ||g_i - g||^2 of one sample drawn from the group. */
async function singleVariance(
  train: Objective,
  theta: Float64Array,
  group: SampleGroup,
  centre: Float64Array,
): Promise<number> {
  let square = 0;
  for (let i = 0; i < group.length; i++) {
    const deviation = minus(await train.gradient(theta, group.subarray(i, i + 1)), centre);
    square += dot(deviation, deviation);
  }
  return square / group.length;
}
