import { diagnose } from "../../../diagnostics/diagnose.js";
import { minus } from "../../../numerics/vector.js";
import { binCost } from "../../../partition/bins.js";
import { type Case, caseOf, casesOf } from "../cases.js";
import { type Clients, gradientsOf, wholeBinClients } from "../clients.js";
import { sampleVariance } from "../objectives.js";
import type { OnProgress } from "../setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "../theory-problem.js";
import { EQUAL_CLIENTS, weightedSpread, weightedSquare } from "../weighted-centring.js";
import {
  type BinGradients,
  expectedBinNoise,
  mixtureGradient,
  type RestrictedSingularValues,
  restrictedSingularValues,
} from "./bin-gradients.js";

/** One partition's heterogeneity in bins, transport and gradients. */
export interface TransferPoint {
  readonly alpha: number;
  readonly seed: number;
  readonly hQ: number;
  readonly hW: number;
  /** H_g of clients that mix the bins by their profiles, as in the mixture model. */
  readonly hMixture: number;
  /** H_g of the clients with the samples that they have. */
  readonly hRealised: number;
  /** H_g of clients that mix the bins by the profiles that were drawn for them. */
  readonly hTarget: number;
  /** eps_part of prop:app-finite. */
  readonly epsilon: number;
  /** sum_k p_k ||(g_k - g) - G (q_k - q)||^2 and what drawing without replacement makes of it in the mean. */
  readonly noise: number;
  readonly expectedNoise: number;
}

export interface TransferCase extends Case, RestrictedSingularValues {
  /** Root of sum_k p_k ||(g_k - g) - G (q_k - q)||^2 for clients of whole bins, as a part of sqrt H_g. */
  readonly wholeBinDeviation: number;
  readonly points: readonly TransferPoint[];
}

export interface TransferEvidence {
  readonly task: string;
  readonly bins: number;
  readonly clients: number;
  readonly cMin: number;
  readonly cMax: number;
  readonly cases: readonly TransferCase[];
}

/** The paper's concentrations. */
export const PAPER_ALPHAS: readonly number[] = [100, 10, 1, 0.1, 0.01];

/** Gradients of bins and of clients, on partitions of every concentration. */
export async function gatherGradientTransfer(
  problems: TheoryProblems,
  onProgress?: OnProgress,
): Promise<TransferEvidence> {
  const { title, bins, options } = problems.smooth;
  const cost = binCost(bins);
  const all = casesOf(problems);
  const cases: TransferCase[] = [];
  for (const { problem, start } of all) {
    cases.push(await transferCase(problem, start));
    onProgress?.(cases.length, all.length);
  }
  return {
    task: title,
    bins: bins.bins,
    clients: options.clients,
    cMin: cost.smallest,
    cMax: cost.largest,
    cases,
  };
}

async function transferCase(problem: TheoryProblem, start: StartingPoint): Promise<TransferCase> {
  const { train, binGroups, bins, options, effort } = problem;
  const { theta } = start;
  const columns = await gradientsOf(train, theta, binGroups);
  const realised = (clients: Clients) => gradientsOf(train, theta, clients.groups);
  const gram = await start.gradientGram();
  const variances = binGroups.map((group, bin) =>
    group.length < 2 ? 0 : (sampleVariance(gram, group, columns[bin]) * group.length) / (group.length - 1),
  );

  const whole = wholeBinClients(bins.binOfSample, bins.bins, Math.ceil(bins.bins / 2));
  const wholeGradients = await realised(whole);
  const points: TransferPoint[] = [];
  for (const alpha of PAPER_ALPHAS)
    for (let seed = options.seed; seed < options.seed + effort.gradientSeeds; seed++) {
      const clients = problem.partition(alpha, seed);
      if (weightedSpread(clients.profiles, clients.weights) < EQUAL_CLIENTS) continue;
      points.push({
        alpha,
        seed,
        ...measureTransfer(columns, clients, await realised(clients)),
        hW: diagnose({ counts: clients.counts, cost: binCost(bins) }).metrics.h_w,
        expectedNoise: expectedBinNoise(clients.counts, variances),
      });
    }
  return {
    ...caseOf(problem, start),
    ...restrictedSingularValues(columns),
    wholeBinDeviation: Math.sqrt(
      binDeviation(columns, whole, wholeGradients) / weightedSpread(wholeGradients, whole.weights),
    ),
    points,
  };
}

/** What is exact of a partition, given the gradients of bins and of clients. */
function measureTransfer(
  columns: BinGradients,
  clients: Clients,
  gradients: readonly Float64Array[],
): Omit<TransferPoint, "alpha" | "seed" | "hW" | "expectedNoise"> {
  const { profiles, weights, target = profiles } = clients;
  const mixed = (of: Clients["profiles"]) => of.map((profile) => mixtureGradient(columns, profile));
  return {
    hQ: weightedSpread(profiles, weights),
    hMixture: weightedSpread(mixed(profiles), weights),
    hRealised: weightedSpread(gradients, weights),
    hTarget: weightedSpread(mixed(target), weights),
    epsilon: Math.sqrt(
      weightedSquare(
        profiles.map((profile, k) => minus(profile, target[k])),
        weights,
      ),
    ),
    noise: binDeviation(columns, clients, gradients),
  };
}

/** sum_k p_k ||(g_k - g) - G (q_k - q)||^2; the means agree, so that g_k - G q_k is the same. */
function binDeviation(columns: BinGradients, clients: Clients, gradients: readonly Float64Array[]): number {
  return weightedSquare(
    gradients.map((gradient, k) => minus(gradient, mixtureGradient(columns, clients.profiles[k]))),
    clients.weights,
  );
}
