import { exp } from "../../numerics/elementary.js";
import { choice } from "../../options/option.js";
import { logNormalise } from "../../random/dirichlet.js";
import { logGamma } from "../../random/gamma.js";
import { shuffle } from "../../random/permutation.js";
import { type Stream, stream } from "../../random/stream.js";
import { checkSizes, intendedSizes, SIZE_OPTIONS } from "../client-sizes.js";
import { ALPHA } from "../partition-options.js";
import type { DrawOptions, Partitioner } from "../partitioner.js";
import { binMasses, listed, type Units } from "../units.js";

/**
 * Composition skew without size skew: every client has an intended size, and a composition over bins drawn for itself.
 * Clients take samples one at a time in random turns, each of a bin drawn by its composition among the bins that have
 * samples left. This is the law of Flower's `InnerDirichletPartitioner` and FedLab's per-client Dirichlet, with
 * `base: uniform`.
 */
export const clientDirichlet: Partitioner = {
  describe:
    "draw each client's composition over solution bins by itself, at given sizes (composition skew alone)",
  options: {
    alpha: ALPHA,
    base: choice(["data", "uniform"], {
      default: "data",
      help: "mean composition: that of the data, so that a large alpha is nearly IID, or all bins alike as in Flower and FedLab",
    }),
    ...SIZE_OPTIONS,
  },
  check: checkSizes,
  draw(units, options) {
    const { clients, seed } = options;
    const sizes = intendedSizes(options, units);
    const logShares = compositions(units, options);
    const left = listed(units.binOfUnit, units.bins).map((own, bin) =>
      shuffle(stream(seed, "order", bin), own),
    );
    const quota = Array.from(sizes);
    const hungry = [...quota.keys()].filter((client) => quota[client] > 0);
    const turns = stream(seed, "turns");
    const choices = Array.from({ length: clients }, (_, client) => stream(seed, "choices", client));
    const clientOfUnit = new Int32Array(units.count);
    const order = new Int32Array(units.count);
    for (let taken = 0; taken < units.count; taken++) {
      const place = turns.below(hungry.length);
      const client = hungry[place];
      const unit = left[chosenBin(choices[client], logShares[client], left)].pop()!;
      clientOfUnit[unit] = client;
      order[taken] = unit;
      quota[client] -= units.sizes[unit];
      if (quota[client] <= 0) hungry.splice(place, 1);
    }
    return { clientOfUnit, order, sizes, target: logShares.map((row) => row.map(exp)) };
  },
};

/** Logarithms of the compositions: at small alpha most shares are below the smallest float64. */
function compositions(units: Units, { clients, seed, values }: DrawOptions): Float64Array[] {
  const filled = binMasses(units).map((mass) => (mass > 0 ? 1 : 0));
  const count = filled.reduce((a, b) => a + b, 0);
  const base = values.base === "uniform" ? filled.map((one) => one / count) : binMasses(units);
  const alpha = Number(values.alpha);
  return Array.from({ length: clients }, (_, client) =>
    logNormalise(
      base.map((share, bin) =>
        share === 0 ? -Infinity : logGamma(stream(seed, "composition", client, bin), alpha * count * share),
      ),
    ),
  );
}

/** A bin with units left, drawn by shares whose logarithms are given. */
function chosenBin(random: Stream, logShare: Float64Array, left: readonly (readonly number[])[]): number {
  let largest = -Infinity;
  left.forEach((units, bin) => {
    if (units.length > 0) largest = Math.max(largest, logShare[bin]);
  });
  const weights = logShare.map((value, bin) => (left[bin].length > 0 ? exp(value - largest) : 0));
  const threshold = random.uniform() * weights.reduce((a, b) => a + b, 0);
  let sum = 0;
  let last = -1;
  for (let bin = 0; bin < weights.length; bin++) {
    if (weights[bin] === 0) continue;
    sum += weights[bin];
    last = bin;
    if (sum > threshold) break;
  }
  return last;
}
