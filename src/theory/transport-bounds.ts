import type { CostMatrix } from "../numerics/cost-matrix.js";

/** Two numbers between which a third must lie. */
export interface Band {
  readonly lower: number;
  readonly upper: number;
}

/** What W_C lies between for histograms of this total variation (eq:app-tv). */
export function transportBand(cost: CostMatrix, totalVariation: number): Band {
  return { lower: cost.smallest * totalVariation, upper: cost.largest * totalVariation };
}

/** What H_W lies between for this H_q (eq:app-HW-Hq). */
export function heterogeneityBand(cost: CostMatrix, hQ: number): Band {
  const { smallest, largest, size } = cost;
  return { lower: (smallest * smallest * hQ) / 4, upper: (size * largest * largest * hQ) / 4 };
}

/**
 * A lower bound of H_W twice the paper's, as exact. The paper takes ||x||_2 <= ||x||_1 = 2 TV for x = q - q'. But x
 * sums to zero: its positive and its negative part have the sum TV each and no bin in common, so that
 * ||x||_2^2 <= 2 TV^2. Two histograms in one bin each attain it.
 */
export function sharperLowerBound(cost: CostMatrix, hQ: number): number {
  return (cost.smallest * cost.smallest * hQ) / 2;
}
