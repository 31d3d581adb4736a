import { expectedHeterogeneity, heterogeneityVariance } from "../../../diagnostics/concentration-law.js";
import { exp } from "../../../numerics/elementary.js";
import { logDirichlet } from "../../../random/dirichlet.js";
import { stream } from "../../../random/stream.js";
import { dirichletMoments, type MomentLaw } from "../dirichlet-moments.js";
import { exceeds } from "../exceeds.js";
import { drawnProfiles, equalWeights, massDeviation, profileError } from "../profiles.js";
import type { BinSetting, OnProgress } from "../setting.js";
import { weightedSpread } from "../weighted-centring.js";
import { CHECKED_ALPHAS, type FinitePartition, finitePartitions } from "./finite-partitions.js";

/** Numbers of clients at which the law is drawn. */
const CLIENTS: readonly number[] = [2, 5, 10, 20, 50, 100];
/** Gamma draws for each K and alpha, unless told otherwise: many draws of few clients, few draws of many. */
const GAMMAS = 80_000;
/** Draws of each K and alpha that the figure shows one by one. */
const SHOWN = 12;

/** A Monte Carlo mean beside its expectation, with the exact standard error of such a mean. */
export interface Sampled {
  readonly clients: number;
  readonly alpha: number;
  readonly draws: number;
  readonly mean: number;
  readonly expected: number;
  readonly standardError: number;
}

export interface SampledMoment extends Sampled {
  readonly moment: MomentLaw["name"];
}

/** What normalisation did to the draws of one K and alpha (lem:app-normalization). */
export interface NormalisationCell {
  readonly clients: number;
  readonly alpha: number;
  readonly draws: number;
  /** Draws with delta < 1, to which the lemma applies. */
  readonly within: number;
  /** Draws whose square roots differ by more than delta, with delta < 1 and beyond. */
  readonly broken: number;
  readonly brokenBeyond: number;
  /** Draws whose square roots differ by more than the root mean square of s_k - 1. */
  readonly brokenRms: number;
  /** Largest |sqrt H_q - sqrt H_u| as a share of delta, where it is below 1, and of that root mean square. */
  readonly largestShare: number;
  readonly largestRmsShare: number;
  /** Means of sqrt H_q / sqrt H_u and of delta / sqrt H_u. */
  readonly meanRatio: number;
  readonly meanDelta: number;
}

/** One draw of the figure. */
export interface NormalisationPoint {
  readonly alpha: number;
  readonly delta: number;
  readonly difference: number;
}

/** A finite partition's heterogeneity beside that of its target (prop:app-finite). */
export interface FiniteCheck
  extends Pick<FinitePartition, "clients" | "alpha" | "seed" | "repair" | "moved"> {
  /** sqrt H_q of the realised histograms and of their targets, with the same weights. */
  readonly realised: number;
  readonly target: number;
  readonly epsilon: number;
}

export interface ConcentrationEvidence {
  /** Measured bin masses pi_b. */
  readonly masses: readonly number[];
  readonly law: readonly Sampled[];
  readonly moments: readonly SampledMoment[];
  readonly normalisation: readonly NormalisationCell[];
  readonly points: readonly NormalisationPoint[];
  readonly finite: readonly FiniteCheck[];
}

/** Draws shares of the task's bins and makes finite partitions of them. */
export function gatherConcentration(
  setting: BinSetting,
  onProgress?: OnProgress,
  gammas = GAMMAS,
): ConcentrationEvidence {
  const { binOfSample, bins } = setting.data.bins;
  const sizes = new Array<number>(bins).fill(0);
  for (const bin of binOfSample) sizes[bin]++;
  const masses = sizes.map((size) => size / binOfSample.length);
  const cells = CLIENTS.flatMap((clients) => CHECKED_ALPHAS.map((alpha) => ({ clients, alpha })));
  const sampled = cells.map(({ clients, alpha }, i) => {
    onProgress?.(i, cells.length + 1);
    return sampleCell({ clients, alpha, masses, seed: setting.options.seed, gammas });
  });
  const finite = Array.from(finitePartitions(setting, ["none", "closest", "largest"]), checkFinite);
  return {
    masses,
    law: sampled.map(({ law }) => law),
    moments: sampled.flatMap(({ moments }) => moments),
    normalisation: sampled.map(({ normalisation }) => normalisation),
    points: sampled.flatMap(({ points }) => points),
    finite,
  };
}

interface CellOptions {
  readonly clients: number;
  readonly alpha: number;
  readonly masses: readonly number[];
  readonly seed: number;
  readonly gammas: number;
}

/** Everything that is measured on draws of one K and alpha. */
function sampleCell({ clients, alpha, masses, seed, gammas }: CellOptions) {
  const components = new Array(clients).fill(stream(seed, "theory", "dirichlet", clients, alpha));
  const draws = Math.ceil(gammas / (clients * masses.length));
  const laws = dirichletMoments(clients, alpha);
  const momentSums = laws.map(() => 0);
  const points: NormalisationPoint[] = [];
  const weights = equalWeights(clients);
  const found = { within: 0, broken: 0, brokenBeyond: 0, brokenRms: 0, largestShare: 0, largestRmsShare: 0 };
  let [sum, ratios, deltas] = [0, 0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const logShares = masses.map(() => logDirichlet(components, alpha));
    for (const share of logShares) {
      const [x, y] = [exp(share[0]), exp(share[1])];
      laws.forEach(({ statistic }, i) => {
        momentSums[i] += statistic(x, y);
      });
    }
    const { raw, mass, normalised } = drawnProfiles(logShares, masses);
    const hU = weightedSpread(raw, weights);
    sum += hU;
    const [rootU, rootQ] = [Math.sqrt(hU), Math.sqrt(weightedSpread(normalised, weights))];
    const { largest: delta, rms } = massDeviation(mass);
    const difference = Math.abs(rootQ - rootU);
    const over = (bound: number) => (exceeds(difference, bound, Math.max(rootU, rootQ)) ? 1 : 0);
    if (delta < 1) {
      found.within++;
      found.broken += over(delta);
      found.largestShare = Math.max(found.largestShare, shareOf(difference, delta));
    } else found.brokenBeyond += over(delta);
    found.brokenRms += over(rms);
    found.largestRmsShare = Math.max(found.largestRmsShare, shareOf(difference, rms));
    ratios += rootQ / rootU;
    deltas += delta / rootU;
    if (draw < SHOWN) points.push({ alpha, delta, difference });
  }
  const cell = { clients, alpha, draws };
  const bins = masses.length;
  return {
    law: {
      ...cell,
      mean: sum / draws,
      expected: expectedHeterogeneity(clients, alpha, masses),
      standardError: Math.sqrt(heterogeneityVariance(clients, alpha, masses) / draws),
    },
    moments: laws.map(({ name, expected, variance }, i) => ({
      ...cell,
      draws: draws * bins,
      moment: name,
      mean: momentSums[i] / (draws * bins),
      expected,
      standardError: Math.sqrt(variance / (draws * bins)),
    })),
    normalisation: { ...cell, ...found, meanRatio: ratios / draws, meanDelta: deltas / draws },
    points,
  };
}

/** A difference as a part of its bound; where that is zero to the last bit, so is the difference. */
const shareOf = (difference: number, bound: number): number => (bound === 0 ? 0 : difference / bound);

/** Both sides of prop:app-finite. */
export function checkFinite(partition: FinitePartition): FiniteCheck {
  const { clients, alpha, seed, repair, moved, histograms, weights, target } = partition;
  return {
    clients,
    alpha,
    seed,
    repair,
    moved,
    realised: Math.sqrt(weightedSpread(histograms, weights)),
    target: Math.sqrt(weightedSpread(target, weights)),
    epsilon: profileError(histograms, target, weights),
  };
}
