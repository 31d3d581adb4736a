import { minus, norm } from "../../../numerics/vector.js";
import { type Case, caseOf, casesOf, largestHessianNorm, largestNormAtEnds } from "../cases.js";
import { gradientsOf } from "../clients.js";
import { dispersionBound } from "../dispersion-bounds.js";
import { geometricRates, type RemainderOrder, remainderOrder } from "../remainder-order.js";
import type { OnProgress } from "../setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "../theory-problem.js";
import { weightedSpread } from "../weighted-centring.js";
import { localPath } from "./local-paths.js";
import { type MiniBatchDraws, miniBatches, type NoisyPoint } from "./sgd-noise-trials.js";
import { CHECKED_ALPHA, PAPER_RATE, SMALL_STEP } from "./trajectory-drift-evidence.js";

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
  /** Mini-batch steps of a round, and repetitions of them. */
  readonly noisySteps: number;
  readonly draws: MiniBatchDraws;
  readonly cases: readonly DispersionCase[];
}

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
        rate < FAR
          ? smoothness
          : Math.max(smoothness, await largestNormAtEnds(problem, theta, clients, ends)),
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
    noisy: await miniBatches(problem, start, clients, { gradients, hG, smoothness, gradientBound }),
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

/** The length of the longest step of a path that begins at zero. */
const longestStep = (path: readonly Float64Array[]): number =>
  Math.max(norm(path[0]), ...path.slice(1).map((at, i) => norm(minus(at, path[i]))));
