import { dirichlet } from "../../src/random/dirichlet.js";
import { multinomial } from "../../src/random/multinomial.js";
import { stream } from "../../src/random/stream.js";

/** Counts as a partition has them: every bin's samples go to the clients by a Dirichlet(alpha) draw. */
export function sampleCounts(
  clients: number,
  bins: number,
  samples: number,
  alpha: number,
  seed = 42,
): number[][] {
  const counts = Array.from({ length: clients }, () => new Array<number>(bins).fill(0));
  for (let bin = 0; bin < bins; bin++) {
    const components = counts.map((_, client) => stream(seed, "proportions", bin, client));
    const share = multinomial(
      stream(seed, "counts", bin),
      Math.round(samples / bins),
      dirichlet(components, alpha),
    );
    share.forEach((count, client) => {
      counts[client][bin] = count;
    });
  }
  return counts;
}
