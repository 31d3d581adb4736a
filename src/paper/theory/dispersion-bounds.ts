import { driftCoefficient } from "./drift-direction.js";

/**
 * The bound R_E = eta^2 L G0 E (E - 1) / 2 on the difference of sqrt D_loc and eta E sqrt H_g (eq:app-local-bound).
 */
export function dispersionBound(options: {
  readonly rate: number;
  readonly steps: number;
  /** L */
  readonly smoothness: number;
  /** G0 */
  readonly gradientBound: number;
}): number {
  const { rate, steps, smoothness, gradientBound } = options;
  return rate * rate * smoothness * gradientBound * driftCoefficient(steps);
}

/**
 * The expected D_loc of mini-batch steps to leading order: eta^2 (E^2 H_g + E sum_k p_k (1 - p_k) sigma_k^2). It is
 * exact if gradients are constant along the path. Centring reduces each client's own noise by the factor 1 - p_k. The
 * paper's bound (eq:app-sgd) omits this factor.
 */
export function noisyDispersion(options: {
  readonly rate: number;
  readonly steps: number;
  readonly hG: number;
  readonly weights: ArrayLike<number>;
  /** The variance sigma_k^2 of each client's batch gradient. */
  readonly variances: readonly number[];
}): number {
  const { rate, steps, hG, weights, variances } = options;
  const noise = variances.reduce((sum, variance, k) => sum + weights[k] * (1 - weights[k]) * variance, 0);
  return rate * rate * (steps * steps * hG + steps * noise);
}
