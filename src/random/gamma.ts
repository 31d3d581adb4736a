import { log } from "../numerics/elementary.js";
import { normal } from "./normal.js";
import type { Stream } from "./stream.js";

/**
 * The logarithm of a Gamma(shape, 1) draw. In logarithms, because a draw of shape 0.01 is below 1e-300 about
 * once in a thousand times and would round to zero.
 *
 * Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000); for shape < 1
 * their boost: Gamma(a) = Gamma(a + 1) U^(1/a).
 */
export function logGamma(random: Stream, shape: number): number {
  if (shape < 1) return log(random.uniform()) / shape + logGamma(random, shape + 1);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const t = 1 + c * x;
    if (t <= 0) continue;
    const v = t * t * t;
    if (log(random.uniform()) < 0.5 * x * x + d * (1 - v + log(v))) return log(d) + log(v);
  }
}
