import type { Allocation } from "./allocate.js";
import type { Repair } from "./assignment.js";

/**
 * Which client gives a sample to a client below the minimum size.
 * - `closest`: the client above the minimum, and its bin, that keep both histograms closest to those drawn. The split
 *   keeps the heterogeneity that alpha asks for.
 * - `largest`: the largest client, from the bin that changes the two histograms least. This is the obvious reading of
 *   the paper's "a surplus client"; at small alpha it makes small clients resemble large ones.
 */
export type RepairRule = "closest" | "largest";

export const REPAIR_RULES: readonly RepairRule[] = ["closest", "largest"];

/** The rule that preserves the drawn heterogeneity. */
export const DEFAULT_REPAIR: RepairRule = "closest";

/**
 * The rule of the bundled studies. The paper does not name one, but reports that the realisation error grows at
 * alpha = 0.01: so it does with `largest`, and not with `closest`.
 */
export const PAPER_REPAIR: RepairRule = "largest";

/**
 * Brings every client up to the minimum size by moving samples one at a time to the smallest client, and logs
 * every move. Ties go to the larger giver, then to the lowest client and bin. Of a giver's samples in a bin the last in the
 * random order of the allocation goes first: which samples move depends on the seed, not on their order in the file.
 *
 * It always ends: with at least `clients * minimum` samples the largest client is above the minimum whenever
 * another is below it, and every move lessens the total shortage by one.
 */
export function repairMinimumSize(
  { clientOfSample, order, target }: Pick<Allocation, "clientOfSample" | "order" | "target">,
  binOfSample: Int32Array,
  minimum: number,
  rule: RepairRule,
): { readonly clientOfSample: Int32Array; readonly repairs: readonly Repair[] } {
  const clients = target.length;
  if (clientOfSample.length < clients * minimum) {
    throw new RangeError(`${clientOfSample.length} samples cannot give ${clients} clients ${minimum} each`);
  }
  const repaired = clientOfSample.slice();
  const held = target.map((histogram) => Array.from(histogram, () => [] as number[]));
  const sizes = new Array<number>(clients).fill(0);
  for (const sample of order) {
    held[repaired[sample]][binOfSample[sample]].push(sample);
    sizes[repaired[sample]]++;
  }

  /** Errors of a giver before and after its gift, kept until its samples change: most clients are not touched by a move. */
  const losses: ({ readonly before: number; readonly given: Float64Array } | undefined)[] = [];
  const lossesOf = (from: number) => {
    losses[from] ??= {
      before: errorOf(held[from], sizes[from], target[from]),
      given: errorsAfter(held[from], sizes[from], target[from], -1),
    };
    return losses[from];
  };

  const repairs: Repair[] = [];
  for (;;) {
    const to = sizes.indexOf(Math.min(...sizes));
    if (sizes[to] >= minimum) return { clientOfSample: repaired, repairs };
    const largest = Math.max(...sizes);
    const givers =
      rule === "largest"
        ? [sizes.indexOf(largest)]
        : [...sizes.keys()].filter((client) => sizes[client] > minimum);
    const { from, bin } = bestGift(givers, to);
    const sample = held[from][bin].pop()!;
    held[to][bin].push(sample);
    sizes[from]--;
    sizes[to]++;
    losses[from] = undefined;
    losses[to] = undefined;
    repaired[sample] = to;
    repairs.push({ sample, bin, from, to });
  }

  function bestGift(givers: readonly number[], to: number): { from: number; bin: number } {
    const received = errorsAfter(held[to], sizes[to], target[to], 1);
    let best = { from: -1, bin: -1, error: Infinity };
    for (const from of givers) {
      const { before, given } = lossesOf(from);
      for (let bin = 0; bin < given.length; bin++) {
        if (held[from][bin].length === 0) continue;
        const error = received[bin] + given[bin] - before;
        const better = error < best.error || (error === best.error && sizes[from] > sizes[best.from]);
        if (better) best = { from, bin, error };
      }
    }
    return best;
  }
}

/** L1 distance of a client's histogram from its target. */
function errorOf(held: readonly (readonly number[])[], size: number, target: Float64Array): number {
  return held.reduce((sum, samples, bin) => sum + Math.abs(samples.length / size - target[bin]), 0);
}

/** The same after the client gained (`change` = 1) or lost (-1) one sample, for every bin that it might be of. */
function errorsAfter(
  held: readonly (readonly number[])[],
  size: number,
  target: Float64Array,
  change: 1 | -1,
): Float64Array {
  const all = errorOf(held, size + change, target);
  return Float64Array.from(held, (samples, bin) => {
    const unchanged = Math.abs(samples.length / (size + change) - target[bin]);
    return all - unchanged + Math.abs((samples.length + change) / (size + change) - target[bin]);
  });
}
