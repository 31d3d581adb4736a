import { binCost, type SolutionBins } from "./bins.js";

/** Share of samples beyond the reach of bins from which on these do not fit. Other data of the same law stay below it. */
const MOST_OUTSIDE = 0.05;
/** Mean distance from centroids, relative to that of the fitted data, from which on bins do not fit. */
const MOST_DISTANCE = 1.5;
/** Samples a bin on average below which bins follow the fitted samples rather than their law. */
const FEW_SAMPLES = 10;
/** Round-off between the distances of a fit and those of the same data assigned again. */
const ROUNDING = 1e-6;

/** How far responses lie from the centroids that were fitted to them. */
export interface BinReach {
  readonly samples: number;
  /** Mean and largest distance of a response from its centroid. */
  readonly meanDistance: number;
  readonly farthest: number;
  /** Share of the variance that the bins explain. */
  readonly explainedVariance: number;
}

/** How well bins describe responses that they were not fitted to. */
export interface FitElsewhere extends BinReach {
  /** Responses farther from every centroid than any fitted one. */
  readonly outside: number;
}

/** The reach of bins over the responses that they hold. */
export function binReach({ distances, quantisationError, quality }: SolutionBins): BinReach {
  return {
    samples: distances.length,
    meanDistance: quantisationError,
    farthest: distances.reduce((a, b) => Math.max(a, b), 0),
    explainedVariance: quality?.explainedVariance ?? Number.NaN,
  };
}

/** One bin: its samples, their distances from its centroid, and the nearest other centroid. */
export interface BinSpread {
  readonly samples: number;
  readonly mean: number;
  readonly farthest: number;
  readonly nearest?: { readonly bin: number; readonly distance: number };
}

/** The bins one by one. */
export function binSpreads(bins: SolutionBins): readonly BinSpread[] {
  const { size, values } = binCost(bins);
  const all = Array.from({ length: size }, () => ({ samples: 0, sum: 0, farthest: 0 }));
  bins.binOfSample.forEach((bin, sample) => {
    const distance = bins.distances[sample];
    all[bin].samples++;
    all[bin].sum += distance;
    all[bin].farthest = Math.max(all[bin].farthest, distance);
  });
  return all.map(({ samples, sum, farthest }, bin) => {
    const others = [...values.subarray(bin * size, (bin + 1) * size).entries()].filter(([b]) => b !== bin);
    const [other, distance] = others.reduce((a, b) => (b[1] < a[1] ? b : a), [-1, Infinity]);
    return {
      samples,
      mean: samples > 0 ? sum / samples : 0,
      farthest,
      ...(other >= 0 && { nearest: { bin: other, distance } }),
    };
  });
}

/** Compares the responses of a site with those that its bins were fitted to. */
export function fitElsewhere(bins: SolutionBins, fitted: Pick<BinReach, "farthest">): FitElsewhere {
  const limit = fitted.farthest * (1 + ROUNDING);
  const outside = bins.distances.reduce((count, distance) => count + (distance > limit ? 1 : 0), 0);
  return { ...binReach(bins), outside };
}

/** Why bins do not fit these responses, one sentence each; none where they do. */
export function fitNotes(
  { samples, outside, meanDistance }: Pick<FitElsewhere, "samples" | "outside" | "meanDistance">,
  fitted: Pick<BinReach, "meanDistance">,
): string[] {
  const share = outside / samples;
  const found: string[] = [];
  if (share > MOST_OUTSIDE)
    found.push(
      `${(100 * share).toFixed(1)} % of the samples are farther from every centroid than any sample that the bins were fitted to: the bins do not describe them.`,
    );
  if (meanDistance > MOST_DISTANCE * fitted.meanDistance)
    found.push(
      `The mean distance from the centroids is ${(meanDistance / fitted.meanDistance).toFixed(1)} times that of the data that the bins were fitted to: the counts say little of these samples.`,
    );
  return found;
}

/** What is to be said of bins that others are to use. */
export function useElsewhereNotes({ bins, distances }: SolutionBins): string[] {
  if (distances.length >= FEW_SAMPLES * bins) return [];
  return [
    `${distances.length} samples are few for ${bins} bins: other data will lie farther from the centroids. Fit fewer bins, or more samples.`,
  ];
}
