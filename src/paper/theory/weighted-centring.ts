import { combination, dot, minus } from "../../numerics/vector.js";

/**
 * The centring operator of lem:app-normalization for clients of weights p: each vector less the weighted mean. In the
 * norm ||x||_p^2 = sum_k p_k ||x_k||^2 it is an orthogonal projection, and so makes nothing longer.
 */
export function centred(vectors: readonly ArrayLike<number>[], weights: ArrayLike<number>): Float64Array[] {
  const mean = combination(vectors, weights);
  return vectors.map((vector) => minus(vector, mean));
}

/** ||x||_p^2 = sum_k p_k ||x_k||^2 */
export function weightedSquare(vectors: readonly ArrayLike<number>[], weights: ArrayLike<number>): number {
  return vectors.reduce((sum, vector, k) => sum + weights[k] * dot(vector, vector), 0);
}

/**
 * The weighted spread sum_k p_k ||x_k - x||^2 about the weighted mean x. It is H_q for profiles, H_g for gradients
 * and D_loc for parameters.
 */
export function weightedSpread(vectors: readonly ArrayLike<number>[], weights: ArrayLike<number>): number {
  return weightedSquare(centred(vectors, weights), weights);
}

/** A heterogeneity of profiles below this is the square of round-off: such clients are equal, and no ratio to it says anything. */
export const EQUAL_CLIENTS = 1e-24;
