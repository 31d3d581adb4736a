import { mean, median } from "../../../analysis/statistics.js";
import { spectralNorm } from "../../../numerics/lanczos.js";
import { minus, norm } from "../../../numerics/vector.js";
import { logDirichlet } from "../../../random/dirichlet.js";
import { shuffle } from "../../../random/permutation.js";
import { stream } from "../../../random/stream.js";
import {
  type AlignmentTable,
  alignmentTable,
  mixtureDirection,
  mixtureDrift,
  profileCovariance,
  worstContrast,
} from "../alignment-table.js";
import { type Case, caseOf, casesOf, randomVector } from "../cases.js";
import { type Clients, gradientsOf } from "../clients.js";
import type { Objective, SampleGroup } from "../objectives.js";
import { drawnProfiles } from "../profiles.js";
import type { OnProgress } from "../setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "../theory-problem.js";
import { centred, EQUAL_CLIENTS, weightedSpread, weightedSquare } from "../weighted-centring.js";
import { PAPER_ALPHAS } from "./gradient-transfer-evidence.js";
import { clientDriftDirection } from "./trajectory-drift-evidence.js";

/** The drift's direction on one partition: its length, with clients as mixtures and with their own samples. */
export interface AlignmentPoint {
  readonly alpha: number;
  readonly seed: number;
  readonly hQ: number;
  /** ||sum_k p_k (H_k - H)(g_k - g)|| */
  readonly mixture: number;
  readonly realised: number;
}

/** The upper bound on one partition (eq:app-drift-upper). */
export interface UpperBound {
  readonly alpha: number;
  readonly hQ: number;
  readonly realised: number;
  /** sqrt(H_H H_g), the Hessian norms from below. */
  readonly bound: number;
}

/** Mean squared length over population draws of a concentration. */
export interface ScalingPoint {
  readonly alpha: number;
  /** K alpha + 1 */
  readonly spread: number;
  /** E ||sum_k p_k (H_k - H)(g_k - g)||^2 */
  readonly square: number;
}

export interface AlignmentCase extends Case {
  readonly points: readonly AlignmentPoint[];
  readonly upper: readonly UpperBound[];
  readonly scaling: readonly ScalingPoint[];
  /** Ratios of drift to H_q that were made small on purpose. */
  readonly constructed: {
    /** The worst pair of clients that differ in their mixture of the task's bins. */
    readonly worstContrast: number;
    /** Dirichlet partitions at alpha = 0.1 of bins that were dealt at random, median over seeds. */
    readonly randomBins: number;
    /** Two clients with the same samples under the names of two bins. */
    readonly twinBins: number;
  };
}

export interface AlignmentEvidence {
  readonly task: string;
  readonly clients: number;
  readonly bins: number;
  readonly draws: number;
  readonly cases: readonly AlignmentCase[];
}

const DRAWS = 400;
const SCALING_ALPHAS: readonly number[] = [1000, 100, 10, 1, 0.1, 0.01];
/** Concentration of partitions of random bins. */
const RANDOM_ALPHA = 0.1;

/** Lengths of the drift's direction over partitions, and where they are small. */
export async function gatherAlignment(
  problems: TheoryProblems,
  onProgress?: OnProgress,
): Promise<AlignmentEvidence> {
  const all = casesOf(problems);
  const population = SCALING_ALPHAS.map((alpha) => populationDraws(problems.smooth, alpha));
  const cases: AlignmentCase[] = [];
  for (const { problem, start } of all) {
    cases.push(await alignmentCase(problem, start, population));
    onProgress?.(cases.length, all.length);
  }
  const { title, options, bins } = problems.smooth;
  return { task: title, clients: options.clients, bins: bins.bins, draws: DRAWS, cases };
}

async function alignmentCase(
  problem: TheoryProblem,
  start: StartingPoint,
  population: readonly PopulationDraws[],
): Promise<AlignmentCase> {
  const { train, binGroups, options, effort } = problem;
  const { theta } = start;
  const table = await tableOf(train, theta, binGroups);
  const points: AlignmentPoint[] = [];
  for (const alpha of PAPER_ALPHAS)
    for (let seed = options.seed; seed < options.seed + effort.seeds; seed++) {
      const clients = problem.partition(alpha, seed);
      const mixed = mixtureOf(table, clients);
      if (mixed.hQ < EQUAL_CLIENTS) continue;
      const gradients = await gradientsOf(train, theta, clients.groups);
      const direction = await clientDriftDirection(train, theta, clients, gradients);
      points.push({ alpha, seed, ...mixed, realised: norm(direction) });
    }
  const upper: UpperBound[] = [];
  for (const alpha of effort.upperAlphas) {
    const point = points.find((one) => one.alpha === alpha);
    if (!point) continue;
    const { seed, hQ, realised } = point;
    upper.push({
      alpha,
      hQ,
      realised,
      bound: await upperBound(problem, theta, problem.partition(alpha, seed)),
    });
  }
  const uniform = stream(options.seed, "theory contrast");
  return {
    ...caseOf(problem, start),
    points,
    upper,
    scaling: population.map((draws) => scalingPoint(table, draws)),
    constructed: {
      worstContrast: worstContrast(table, () => uniform.uniform()).ratio,
      randomBins: await randomBins(problem, theta),
      twinBins: await twinBins(train, theta, binGroups[0]),
    },
  };
}

/** H_b g_c of groups of samples. */
async function tableOf(
  train: Objective,
  theta: Float64Array,
  groups: readonly SampleGroup[],
): Promise<AlignmentTable> {
  const gradients = await gradientsOf(train, theta, groups);
  const products: Float64Array[] = [];
  for (const group of groups)
    for (const gradient of gradients) products.push(await train.hessianVector(theta, gradient, group));
  return alignmentTable(products);
}

function mixtureOf(
  table: AlignmentTable,
  { profiles, weights }: Pick<Clients, "profiles" | "weights">,
): { readonly hQ: number; readonly mixture: number } {
  return {
    hQ: weightedSpread(profiles, weights),
    mixture: mixtureDrift(table, profileCovariance(profiles, weights)),
  };
}

/** sqrt(H_H H_g) */
async function upperBound(
  { train, effort }: TheoryProblem,
  theta: Float64Array,
  clients: Clients,
): Promise<number> {
  const { groups, weights } = clients;
  const gradients = await gradientsOf(train, theta, groups);
  const deviations = centred(gradients, weights);
  let hH = 0;
  for (const [k, group] of groups.entries()) {
    const difference = async (v: Float64Array) =>
      minus(await train.hessianVector(theta, v, group), await train.hessianVector(theta, v));
    // A few steps of Lanczos come up to the norm from below; what the client's own gradient shows is a lower end, too.
    const deviation = deviations[k];
    const shown = norm(deviation) > 0 ? norm(await difference(deviation)) / norm(deviation) : 0;
    const found = await spectralNorm(difference, randomVector(theta.length), { steps: effort.lanczos });
    hH += weights[k] * Math.max(shown, found) ** 2;
  }
  return Math.sqrt(hH * weightedSquare(deviations, weights));
}

/** Covariances of population draws at one concentration. */
interface PopulationDraws {
  readonly alpha: number;
  readonly clients: number;
  readonly covariances: readonly Float64Array[];
}

/** Draws of client profiles without whole samples or repair: client k has mass s_k / K and profile u_k / s_k. */
function populationDraws(
  { binGroups, bins, options: { clients, seed } }: TheoryProblem,
  alpha: number,
): PopulationDraws {
  const masses = binGroups.map(({ length }) => length / bins.binOfSample.length);
  const covariances = Array.from({ length: DRAWS }, (_, draw) => {
    const shares = masses.map((_, bin) =>
      logDirichlet(
        Array.from({ length: clients }, (_, client) => stream(seed, "theory draws", draw, bin, client)),
        alpha,
      ),
    );
    const { normalised, mass } = drawnProfiles(shares, masses);
    return profileCovariance(
      normalised,
      mass.map((value) => value / clients),
    );
  });
  return { alpha, clients, covariances };
}

function scalingPoint(table: AlignmentTable, { alpha, clients, covariances }: PopulationDraws): ScalingPoint {
  const squares = covariances.map((covariance) => mixtureDrift(table, covariance) ** 2);
  return { alpha, spread: clients * alpha + 1, square: mean(squares) };
}

/** The median ratio over partitions of bins that know nothing of the solution. */
async function randomBins(problem: TheoryProblem, theta: Float64Array): Promise<number> {
  const { bins, options, train, effort } = problem;
  const dealt = shuffle(stream(options.seed, "theory random bins"), [...bins.binOfSample]);
  const groups = Array.from({ length: bins.bins }, (_, bin) =>
    Int32Array.from(dealt.keys()).filter((sample) => dealt[sample] === bin),
  );
  const table = await tableOf(train, theta, groups);
  const ratios = Array.from({ length: effort.seeds }, (_, i) => {
    const { hQ, mixture } = mixtureOf(table, problem.partition(RANDOM_ALPHA, options.seed + i));
    return hQ < EQUAL_CLIENTS ? [] : [mixture / hQ];
  });
  return median(ratios.flat());
}

/** Profiles (1, 0) and (0, 1), but the same samples. */
async function twinBins(train: Objective, theta: Float64Array, group: SampleGroup): Promise<number> {
  const profiles = [Float64Array.of(1, 0), Float64Array.of(0, 1)];
  const weights = Float64Array.of(0.5, 0.5);
  const table = await tableOf(train, theta, [group, group]);
  // By its definition: the Gram matrix would leave the root of round-off.
  return (
    norm(mixtureDirection(table, profileCovariance(profiles, weights))) / weightedSpread(profiles, weights)
  );
}
