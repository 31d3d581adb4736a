import { mean } from "../../../analysis/statistics.js";
import { norm, plus } from "../../../numerics/vector.js";
import { stream } from "../../../random/stream.js";
import { dispersionVariance, noiseMoments } from "../batch-noise.js";
import { largestNormAtEnds } from "../cases.js";
import { type Clients, gradientsOf } from "../clients.js";
import { dispersionBound, noisyDispersion } from "../dispersion-bounds.js";
import type { Objective, SampleGroup } from "../objectives.js";
import type { StartingPoint, TheoryProblem } from "../theory-problem.js";
import { weightedSpread } from "../weighted-centring.js";
import { PAPER_RATE } from "./trajectory-drift-evidence.js";

/** Repetitions of mini-batch steps. */
export interface MiniBatchDraws {
  /** At a learning rate at which the leading order is all: their mean is held against its expectation. */
  readonly leading: number;
  /** At the paper's learning rate, for the bound. */
  readonly paper: number;
}

/** Mini-batch steps, over repeated draws. */
export interface NoisyPoint {
  readonly rate: number;
  /** Samples of a batch. */
  readonly batch: number;
  readonly draws: number;
  /** Mean of D_loc over draws, and its standard error to leading order, which is known exactly. */
  readonly mean: number;
  readonly standardError: number;
  /** To leading order, with noise. */
  readonly expected: number;
  /** eta E sqrt H_g */
  readonly leading: number;
  /** R_E + eta sqrt(E sum_k p_k sigma_k^2), what sqrt E[D_loc] may be away from it (eq:app-sgd). */
  readonly bound: number;
  /** The same with L and G0 of the start alone, where the theorem asks for them along the paths. */
  readonly startBound: number;
}

/** What is known at the start. */
interface AtStart {
  readonly gradients: readonly Float64Array[];
  readonly hG: number;
  readonly smoothness: number;
  readonly gradientBound: number;
}

/** A learning rate of mini-batch steps at which the leading order is all. */
const LEADING_RATE = 1e-5;

/** Rounds of mini-batch steps at the paper's learning rate and at one at which the leading order is all. */
export async function miniBatches(
  problem: TheoryProblem,
  start: StartingPoint,
  clients: Clients,
  at: AtStart,
): Promise<NoisyPoint[]> {
  const { effort, options } = problem;
  const { weights } = clients;
  const moments = noiseMoments(await start.gradientGram(), clients.groups, weights);
  const steps = options.localSteps;
  const found: NoisyPoint[] = [];
  for (const [rate, draws] of [
    [PAPER_RATE, effort.draws.paper],
    [LEADING_RATE, effort.draws.leading],
  ])
    for (const batch of effort.batches) {
      const rounds: Float64Array[][] = [];
      for (let draw = 0; draw < draws; draw++)
        rounds.push(await noisyRound(problem, start.theta, clients, { rate, batch, draw }));
      const dispersions = rounds.map((ends) => weightedSpread(ends, weights));
      const variances = moments.variances.map((variance) => variance / batch);
      const noise = variances.reduce((sum, variance, k) => sum + weights[k] * variance, 0);
      const bound = (constants: Pick<AtStart, "smoothness" | "gradientBound">) =>
        dispersionBound({ rate, steps, ...constants }) + rate * Math.sqrt(steps * noise);
      found.push({
        rate,
        batch,
        draws,
        mean: mean(dispersions),
        standardError: Math.sqrt(dispersionVariance(moments, { rate, steps, batch, weights }) / draws),
        expected: noisyDispersion({ rate, steps, hG: at.hG, weights, variances }),
        leading: rate * steps * Math.sqrt(at.hG),
        bound: bound(
          rate === LEADING_RATE ? at : await alongPaths(problem, start.theta, clients, at, rounds),
        ),
        startBound: bound(at),
      });
    }
  return found;
}

/** L and G0 at the start and at the ends of paths; L, which is dear, at those of the first round alone. */
async function alongPaths(
  problem: TheoryProblem,
  theta: Float64Array,
  clients: Clients,
  at: AtStart,
  rounds: readonly (readonly Float64Array[])[],
): Promise<Pick<AtStart, "smoothness" | "gradientBound">> {
  let { gradientBound } = at;
  for (const ends of rounds)
    for (const [k, group] of clients.groups.entries()) {
      const [slope] = await gradientsOf(problem.train, plus(theta, ends[k]), [group]);
      gradientBound = Math.max(gradientBound, norm(slope));
    }
  const smoothness = Math.max(at.smoothness, await largestNormAtEnds(problem, theta, clients, rounds[0]));
  return { smoothness, gradientBound };
}

/** Displacements of all clients after a round. */
async function noisyRound(
  { train, options }: TheoryProblem,
  theta: Float64Array,
  { groups }: Clients,
  { rate, batch, draw }: { readonly rate: number; readonly batch: number; readonly draw: number },
): Promise<Float64Array[]> {
  const ends: Float64Array[] = [];
  for (const [k, group] of groups.entries()) {
    const random = stream(options.seed, "theory batches", batch, draw, k);
    const chosen = () => Int32Array.from({ length: batch }, () => group[random.below(group.length)]);
    ends.push(await noisyPath(train, theta, { rate, steps: options.localSteps, chosen }));
  }
  return ends;
}

/** The displacement after steps on batches that are drawn with replacement, so that their noise is independent. */
async function noisyPath(
  train: Objective,
  theta: Float64Array,
  { rate, steps, chosen }: { readonly rate: number; readonly steps: number; chosen(): SampleGroup },
): Promise<Float64Array> {
  let displacement: Float64Array = new Float64Array(theta.length);
  for (let step = 0; step < steps; step++)
    displacement = plus(displacement, await train.gradient(plus(theta, displacement), chosen()), -rate);
  return displacement;
}
