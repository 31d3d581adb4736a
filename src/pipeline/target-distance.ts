import { meanOfPairs } from "../diagnostics/diagnose.js";
import type { CostMatrix } from "../numerics/cost-matrix.js";
import { exp, log } from "../numerics/elementary.js";
import { pairwiseTransport } from "../numerics/transport.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { drawPartition, type PartitionerData, type PartitionOptions } from "../partition/partition.js";
import type { Known } from "../partition/partitioner.js";

export interface TargetSearch {
  /** The alpha whose realised D_sol comes closest, rounded to four significant digits. */
  readonly alpha: number;
  /** The D_sol that it gives. */
  readonly distance: number;
  /** Smallest and largest D_sol found between the ends of the search. */
  readonly range: readonly [number, number];
  /** Every alpha tried with its D_sol, in ascending order of alpha. */
  readonly tried: readonly { readonly alpha: number; readonly distance: number }[];
}

/** The search covers these alphas: beyond them a partition hardly changes any more. */
const SMALLEST_ALPHA = 1e-4;
const LARGEST_ALPHA = 1e6;
const GRID = 41;
const REFINEMENTS = 16;

/**
 * Finds the alpha whose realised D_sol is closest to a target, for given bins, clients, minimum size and seed.
 *
 * Realised D_sol is a step function of alpha, nearly monotone because all alphas of a seed share one random draw. A
 * grid over ten decades brackets the target and shows the reachable range. Bisection in log alpha then goes as far
 * as the steps allow.
 */
export function findAlpha(
  binOfSample: Int32Array,
  cost: CostMatrix,
  options: Omit<PartitionOptions, "alpha"> & {
    readonly target: number;
    /** Samples that stay together. */
    readonly groups?: Int32Array;
    /** What the partitioner wants to know of samples. */
    readonly known?: Known;
    readonly onProgress?: (done: number, total: number) => void;
  },
): TargetSearch {
  const { target, onProgress, groups, known, bins, ...partition } = options;
  const data = { binOfSample, bins, groups, ...known };
  const tried = new Map<number, number>();
  const distanceAt = (logAlpha: number): { alpha: number; distance: number } => {
    const alpha = Number(exp(logAlpha).toPrecision(4));
    let distance = tried.get(alpha);
    if (distance === undefined) {
      distance = realisedDistance(data, cost, { ...partition, alpha });
      tried.set(alpha, distance);
    }
    onProgress?.(tried.size, GRID + REFINEMENTS);
    return { alpha, distance };
  };

  const start = log(SMALLEST_ALPHA);
  const step = (log(LARGEST_ALPHA) - start) / (GRID - 1);
  const grid = Array.from({ length: GRID }, (_, index) => distanceAt(start + index * step));
  const crossing = grid.findIndex(
    (point, index) => index > 0 && grid[index - 1].distance >= target && point.distance <= target,
  );
  if (crossing > 0) {
    let low = start + (crossing - 1) * step;
    let high = low + step;
    for (let refinement = 0; refinement < REFINEMENTS; refinement++) {
      const middle = (low + high) / 2;
      if (distanceAt(middle).distance >= target) low = middle;
      else high = middle;
    }
  }

  const points = [...tried]
    .map(([alpha, distance]) => ({ alpha, distance }))
    .sort((a, b) => a.alpha - b.alpha);
  const distances = points.map((point) => point.distance);
  const best = points.reduce((a, b) =>
    Math.abs(b.distance - target) < Math.abs(a.distance - target) ? b : a,
  );
  return { ...best, range: [Math.min(...distances), Math.max(...distances)], tried: points };
}

/** D_sol of the partition that options give, and nothing else of it. */
export function realisedDistance(
  data: PartitionerData,
  cost: CostMatrix,
  options: Omit<PartitionOptions, "bins">,
): number {
  return solutionDistance(drawPartition(data, options), cost);
}

/** D_sol of an assignment that leaves no client empty (eq:solution-distance). */
export function solutionDistance(assignment: Assignment, cost: CostMatrix): number {
  return meanOfPairs(pairwiseTransport(countTable(assignment), cost).distances, assignment.clients);
}
