import { summarise } from "../analysis/observations.js";

/** With fewer seeds a Student-t interval is wider than what it is drawn around: the seeds are shown instead. */
export const FEWEST_FOR_INTERVAL = 4;

/** A mean over seeds and what a figure shows of its spread: the interval, or the values of a few seeds. */
export interface SeedSpread {
  /** How many seeds the mean is over. */
  readonly count: number;
  readonly mean: number;
  /** Null where there are too few seeds for an interval. */
  readonly low: number | null;
  readonly high: number | null;
  /** The values themselves where two or three seeds are shown one by one; empty elsewhere. */
  readonly seeds: readonly number[];
}

/** The spread of finite values, one a seed; undefined where there is none. */
export function seedSpread(values: readonly number[]): SeedSpread | undefined {
  const summary = summarise(values);
  if (!summary) return undefined;
  const { mean, low, high } = summary;
  const count = values.length;
  if (isShownBySeed(count)) return { count, mean, low: null, high: null, seeds: count > 1 ? values : [] };
  return { count, mean, low, high, seeds: [] };
}

/** Whether so many seeds are shown one by one. */
export function isShownBySeed(count: number): boolean {
  return count < FEWEST_FOR_INTERVAL;
}

/**
 * What a caption says after its "means over seeds": the words for intervals, those for single seeds, or both. Nothing
 * where every mean is of one seed.
 */
export function spreadWords(
  counts: readonly number[],
  { intervals, seeds }: { readonly intervals: string; readonly seeds: string },
): string {
  const hasIntervals = counts.some((count) => !isShownBySeed(count));
  const hasSeeds = counts.some((count) => count > 1 && isShownBySeed(count));
  const tail = hasIntervals ? ` where these are fewer than ${FEWEST_FOR_INTERVAL}` : "";
  return (hasIntervals ? intervals : "") + (hasSeeds ? `${seeds}${tail}` : "");
}

/** "Means over seeds with 95 % Student-t intervals", or what else markers with error bars or dots are. */
export function markerWords(counts: readonly number[]): string {
  if (counts.every((count) => count === 1)) return "Values of one seed";
  const words = { intervals: " with 95 % Student-t intervals", seeds: ", small dots the single seeds" };
  return `Means over seeds${spreadWords(counts, words)}`;
}
