import { totalVariation } from "../../../diagnostics/divergences.js";
import type { CostMatrix } from "../../../numerics/cost-matrix.js";
import { transportSolver } from "../../../numerics/transport.js";
import { binCost } from "../../../partition/bins.js";
import { exceeds } from "../exceeds.js";
import type { BinSetting, OnProgress } from "../setting.js";
import { heterogeneityBand, sharperLowerBound, transportBand } from "../transport-bounds.js";
import { EQUAL_CLIENTS, weightedSpread } from "../weighted-centring.js";
import { type FinitePartition, finitePartitions } from "./finite-partitions.js";

/** How many pairs of each partition the figure shows one by one. */
const SHOWN = 8;

/** Transport and total variation of two histograms. */
export interface TransportPoint {
  readonly alpha: number;
  readonly tv: number;
  readonly distance: number;
}

/** All transports of one partition: between every two clients, and from every client to the mean. */
export interface TransportCheck
  extends Pick<FinitePartition, "clients" | "alpha" | "seed" | "repair" | "moved"> {
  /** Transports, and those below or above their band by more than round-off. */
  readonly pairs: number;
  readonly below: number;
  readonly above: number;
  /** Smallest, mean and largest W_C / TV over them. */
  readonly leastRatio: number;
  readonly meanRatio: number;
  readonly mostRatio: number;
  readonly hQ: number;
  readonly hW: number;
  /** Whether H_W is below or above its band, and below the sharper lower bound. */
  readonly broken: { readonly lower: boolean; readonly upper: boolean; readonly sharper: boolean };
}

export interface TransportEvidence {
  readonly bins: number;
  readonly cMin: number;
  readonly cMax: number;
  readonly partitions: readonly TransportCheck[];
  readonly points: readonly TransportPoint[];
}

/** Solves every transport of every partition of the task's bins, exactly. */
export function gatherTransport(setting: BinSetting, onProgress?: OnProgress): TransportEvidence {
  const cost = binCost(setting.data.bins);
  const partitions: TransportCheck[] = [];
  const points: TransportPoint[] = [];
  const made = [...finitePartitions(setting, ["closest", "largest"])];
  made.forEach((partition, i) => {
    onProgress?.(i, made.length);
    const { check, pairs } = checkTransport(partition, cost);
    if (check.hQ < EQUAL_CLIENTS) return;
    partitions.push(check);
    const step = pairs.length / SHOWN;
    for (let at = 0; at < Math.min(SHOWN, pairs.length); at++)
      points.push({ alpha: partition.alpha, ...pairs[Math.floor(at * Math.max(1, step))] });
  });
  return { bins: cost.size, cMin: cost.smallest, cMax: cost.largest, partitions, points };
}

/** Both statements on one partition, with all its pairs. */
export function checkTransport(
  partition: FinitePartition,
  cost: CostMatrix,
): {
  readonly check: TransportCheck;
  readonly pairs: readonly { readonly tv: number; readonly distance: number }[];
} {
  const { clients, alpha, seed, repair, moved, counts, histograms, weights } = partition;
  const solver = transportSolver(cost);
  const whole = Array.from({ length: cost.size }, (_, b) => counts.reduce((sum, row) => sum + row[b], 0));
  const total = whole.reduce((a, b) => a + b, 0);
  const mean = whole.map((count) => count / total);
  const pairs: { tv: number; distance: number }[] = [];
  let hW = 0;
  for (let i = 0; i < clients; i++) {
    for (let j = 0; j < i; j++)
      pairs.push({
        tv: totalVariation(histograms[i], histograms[j]),
        distance: solver.distance(counts[i], counts[j]),
      });
    const distance = solver.distance(counts[i], whole);
    hW += weights[i] * distance * distance;
    pairs.push({ tv: totalVariation(histograms[i], mean), distance });
  }
  const moving = pairs.filter(({ tv }) => tv > 0);
  const ratios = moving.map(({ tv, distance }) => distance / tv);
  const hQ = weightedSpread(histograms, weights);
  const { lower, upper } = heterogeneityBand(cost, hQ);
  const outside = (side: (band: { lower: number; upper: number }, distance: number) => boolean) =>
    pairs.filter(({ tv, distance }) => side(transportBand(cost, tv), distance)).length;
  const check = {
    clients,
    alpha,
    seed,
    repair,
    moved,
    pairs: pairs.length,
    below: outside((band, distance) => exceeds(band.lower, distance, cost.largest)),
    above: outside((band, distance) => exceeds(distance, band.upper, cost.largest)),
    leastRatio: ratios.reduce((a, b) => Math.min(a, b), Infinity),
    meanRatio: ratios.reduce((a, b) => a + b, 0) / ratios.length,
    mostRatio: ratios.reduce((a, b) => Math.max(a, b), 0),
    hQ,
    hW,
    broken: {
      lower: exceeds(lower, hW),
      upper: exceeds(hW, upper),
      sharper: exceeds(sharperLowerBound(cost, hQ), hW),
    },
  };
  return { check, pairs };
}
