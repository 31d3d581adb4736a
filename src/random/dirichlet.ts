import { exp } from "../numerics/elementary.js";
import { logGamma } from "./gamma.js";
import type { Stream } from "./stream.js";

/**
 * A draw from the symmetric Dirichlet(alpha 1) with one component a stream. A stream for every component keeps
 * the draw continuous in alpha: a rejection in one component shifts no other.
 */
export function dirichlet(components: readonly Stream[], alpha: number): Float64Array {
  const logs = Float64Array.from(components, (random) => logGamma(random, alpha));
  const largest = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const draw = logs.map((value) => exp(value - largest));
  const total = draw.reduce((a, b) => a + b, 0);
  return draw.map((value) => value / total);
}
