import { DataError } from "../errors.js";
import type { CostMatrix } from "../numerics/cost-matrix.js";

/** The smallest count that a site shares unless it chooses another; statistical offices use 3 to 10. */
export const DEFAULT_MINIMUM = 5;

/** What a minimum counts: samples, or groups of samples that belong together, such as trajectories. */
export type Contributors = "samples" | "groups";

/** Counts in which no bin has fewer contributors than the minimum. Their sum is that of the true counts. */
export interface MergedCounts {
  readonly counts: readonly number[];
  /** The bin in which samples of each bin are counted: itself, or the nearest one that has enough. */
  readonly countedIn: readonly number[];
  /** Samples that are counted elsewhere, and the mean distance that this moves a sample of the site. */
  readonly moved: number;
  readonly distance: number;
}

/**
 * Counts the samples of small bins in the nearest bin that has enough of its own. Unlike suppression this keeps the sum:
 * whoever knows the size of a site learns nothing from it, and histograms move by the distance of neighbouring bins only.
 */
export function mergeSmallCounts(
  counts: readonly number[],
  cost: CostMatrix,
  minimum: number,
  /** Contributors of each bin; default: samples. */
  contributors: readonly number[] = counts,
): MergedCounts {
  const isKept = contributors.map((count) => count > 0 && count >= minimum);
  if (!isKept.includes(true))
    throw new DataError(
      `no bin holds ${minimum} ${contributors === counts ? "samples" : "groups of samples"}: nothing can be shared; use fewer bins, or a lower minimum`,
    );
  const countedIn = counts.map((_, bin) => (isKept[bin] ? bin : nearestKept(bin, isKept, cost)));
  const merged = counts.map(() => 0);
  let moved = 0;
  let distance = 0;
  counts.forEach((count, bin) => {
    merged[countedIn[bin]] += count;
    if (countedIn[bin] === bin) return;
    moved += count;
    distance += count * cost.values[bin * cost.size + countedIn[bin]];
  });
  const samples = counts.reduce((a, b) => a + b, 0);
  return { counts: merged, countedIn, moved, distance: distance / samples };
}

/** What a reader of merged counts knows of the rule. */
export interface MergeRule {
  readonly minimum: number;
  readonly contributors: Contributors;
}

/**
 * The largest transport distance between the true histogram of a site and its merged counts. An empty bin may have held up
 * to `minimum - 1` contributors, now counted in the nearest bin with samples, and that bin has `minimum` of its own.
 */
export function mergeErrorBound(
  counts: readonly number[],
  cost: CostMatrix,
  { minimum, contributors }: MergeRule,
): number {
  const isKept = counts.map((count) => count > 0);
  const most = contributors === "samples" ? minimum - 1 : Infinity;
  const ways = counts.map(() => [] as number[]); // costs of the ways into every bin
  counts.forEach((count, bin) => {
    if (count > 0) return;
    const target = nearestKept(bin, isKept, cost);
    ways[target].push(cost.values[bin * cost.size + target]);
  });
  let bound = 0;
  ways.forEach((costs, bin) => {
    let room = counts[bin] - minimum;
    for (const way of costs.sort((a, b) => b - a)) {
      const mass = Math.min(room, most);
      bound += mass * way;
      room -= mass;
    }
  });
  return bound / counts.reduce((a, b) => a + b, 0);
}

/** By how much D_sol of merged counts may differ from that of the true ones, by the triangle inequality of transport. */
export function dSolErrorBound(
  sites: readonly { readonly counts: readonly number[]; readonly rule?: MergeRule }[],
  cost: CostMatrix,
): number {
  const present = sites.filter(({ counts }) => counts.some((count) => count > 0));
  const errors = present.map(({ counts, rule }) =>
    rule === undefined ? 0 : mergeErrorBound(counts, cost, rule),
  );
  return (2 * errors.reduce((a, b) => a + b, 0)) / present.length; // a site is in two of K pairs on average
}

/** The nearest bin that is kept, the first among equals. */
function nearestKept(bin: number, isKept: readonly boolean[], { size, values }: CostMatrix): number {
  let nearest = -1;
  for (let other = 0; other < size; other++)
    if (isKept[other] && (nearest < 0 || values[bin * size + other] < values[bin * size + nearest]))
      nearest = other;
  return nearest;
}
