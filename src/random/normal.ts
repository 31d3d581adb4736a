import { log } from "../numerics/elementary.js";
import type { Stream } from "./stream.js";

/** A standard normal draw, by Marsaglia's polar method (1964). */
export function normal(random: Stream): number {
  for (;;) {
    const x = 2 * random.uniform() - 1;
    const y = 2 * random.uniform() - 1;
    const s = x * x + y * y;
    if (s < 1 && s > 0) return x * Math.sqrt((-2 * log(s)) / s);
  }
}
