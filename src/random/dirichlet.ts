import { exp, log } from "../numerics/elementary.js";
import { logGamma } from "./gamma.js";
import type { Stream } from "./stream.js";

/**
 * The logarithms of a draw from the symmetric Dirichlet(alpha 1), one component a stream. In logarithms, since at
 * alpha = 0.001 most components are far below the smallest float64. A stream for every component keeps the draw
 * continuous in alpha: a rejection in one component shifts no other.
 */
export function logDirichlet(components: readonly Stream[], alpha: number): Float64Array {
  return logNormalise(Float64Array.from(components, (random) => logGamma(random, alpha)));
}

/** A draw from the symmetric Dirichlet(alpha 1). */
export function dirichlet(components: readonly Stream[], alpha: number): Float64Array {
  return logDirichlet(components, alpha).map(exp);
}

/** Shifts logarithms of weights so that the weights sum to 1. */
export function logNormalise(logs: Float64Array): Float64Array {
  const largest = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const logTotal = log(logs.reduce((sum, value) => sum + exp(value - largest), 0));
  return logs.map((value) => value - largest - logTotal); // not in one step: `largest` may be -10000
}
