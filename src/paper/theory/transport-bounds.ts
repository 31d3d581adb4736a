import type { CostMatrix } from "../../numerics/cost-matrix.js";

/** A lower and an upper bound. */
export interface Band {
  readonly lower: number;
  readonly upper: number;
}

/** Bounds of W_C between two histograms with this total variation (eq:app-tv). */
export function transportBand(cost: CostMatrix, totalVariation: number): Band {
  return { lower: cost.smallest * totalVariation, upper: cost.largest * totalVariation };
}

/** Bounds of H_W for a given H_q (eq:app-HW-Hq). */
export function heterogeneityBand(cost: CostMatrix, hQ: number): Band {
  const { smallest, largest, size } = cost;
  return { lower: (smallest * smallest * hQ) / 4, upper: (size * largest * largest * hQ) / 4 };
}

/**
 * A lower bound of H_W that is twice the paper's and equally rigorous. The paper uses ||x||_2 <= ||x||_1 = 2 TV for
 * x = q - q'. But x sums to zero, so its positive and negative parts each sum to TV and share no bin. Hence
 * ||x||_2^2 <= 2 TV^2. Two histograms with one bin each attain the bound.
 */
export function sharperLowerBound(cost: CostMatrix, hQ: number): number {
  return (cost.smallest * cost.smallest * hQ) / 2;
}
