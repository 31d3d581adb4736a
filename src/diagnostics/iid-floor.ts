import type { CostMatrix } from "../numerics/cost-matrix.js";
import { transportSolver } from "../numerics/transport.js";
import { shuffle } from "../random/permutation.js";
import { type Stream, stream } from "../random/stream.js";

/** Pairs of clients that are compared in all, and draws at most: the mean is then known to about one per cent. */
const PAIRS = 900;
const MOST_DRAWS = 20;

/**
 * D_sol of IID splits into clients of the given sizes: all samples are shuffled and cut, and the transport distances of
 * pairs of clients are averaged over draws. Of many clients one draw and a random choice of pairs are enough.
 */
export function iidFloor(
  binSizes: readonly number[],
  clientSizes: readonly number[],
  cost: CostMatrix,
  seed = 0,
): number {
  const sizes = clientSizes.filter((size) => size > 0);
  const all = (sizes.length * (sizes.length - 1)) / 2;
  if (all === 0) return 0;
  const solver = transportSolver(cost);
  const draws = Math.min(MOST_DRAWS, Math.ceil(PAIRS / all));
  const each = Math.min(all, PAIRS);
  let total = 0;
  for (let draw = 0; draw < draws; draw++) {
    const counts = iidCounts(stream(seed, "floor", draw), binSizes, sizes);
    const pairs = pairsOf(sizes.length, each, stream(seed, "floor pairs", draw));
    for (const [a, b] of pairs) total += solver.distance(counts[a], counts[b]);
  }
  return total / (draws * each);
}

/** Counts per client and bin of one random split. */
function iidCounts(random: Stream, binSizes: readonly number[], sizes: readonly number[]): Int32Array[] {
  const labels = new Int32Array(binSizes.reduce((a, b) => a + b, 0));
  let end = 0;
  binSizes.forEach((size, bin) => {
    labels.fill(bin, end, end + size);
    end += size;
  });
  shuffle(random, labels);
  let next = 0;
  return sizes.map((size) => {
    const counts = new Int32Array(binSizes.length);
    for (const stop = next + size; next < stop; next++) counts[labels[next]]++;
    return counts;
  });
}

/** All pairs, or so many random ones. */
function pairsOf(clients: number, count: number, random: Stream): (readonly [number, number])[] {
  if (count < (clients * (clients - 1)) / 2)
    return Array.from({ length: count }, () => {
      const a = random.below(clients);
      const b = random.below(clients - 1);
      return [a, b < a ? b : b + 1] as const;
    });
  const pairs: (readonly [number, number])[] = [];
  for (let a = 0; a < clients; a++) for (let b = a + 1; b < clients; b++) pairs.push([a, b]);
  return pairs;
}
