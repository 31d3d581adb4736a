/** A cluster's nearest one among those after it. */
interface Nearest {
  /** Mean distance to it; where it is stale, a lower bound of the mean distances to all after it. */
  mean: number;
  other: number;
  isStale: boolean;
}

/**
 * Clusters of clients by average linkage: the two clusters with the smallest mean distance between their members are joined
 * until as many as wanted are left. Deterministic; ties go to the clusters with the smallest members.
 *
 * Each cluster remembers its nearest one, and looks for another only when its bound is the smallest of all (Müllner, 2011,
 * generic algorithm): for a thousand clients in a fraction of a second, where comparing all pairs takes many.
 *
 * @param distances clients x clients, symmetric
 * @returns the members of each cluster, ascending
 */
export function clustersOf(distances: Float64Array, clients: number, wanted: number): number[][] {
  /** A cluster has the place of its smallest member, here and in all that follows. */
  const members = Array.from({ length: clients }, (_, client) => [client]);
  /** Sums of the distances between members of two clusters. */
  const sums = distances.slice();
  const left = members.map((_, client) => client);
  const meanOf = (a: number, b: number) => sums[a * clients + b] / (members[a].length * members[b].length);

  function nearest(place: number): Nearest {
    const a = left[place];
    const found: Nearest = { mean: Infinity, other: left[place + 1], isStale: false };
    for (let i = place + 1; i < left.length; i++) {
      const mean = meanOf(a, left[i]);
      if (mean < found.mean) [found.mean, found.other] = [mean, left[i]];
    }
    return found;
  }
  const near = left.map((_, place) => nearest(place));

  /** The place in `left` of the first of the two clusters that are joined next. */
  function closest(): number {
    for (;;) {
      let best = 0;
      for (let i = 1; i < left.length; i++) if (near[left[i]].mean < near[left[best]].mean) best = i;
      if (!near[left[best]].isStale) return best;
      near[left[best]] = nearest(best);
    }
  }

  while (left.length > wanted) {
    const place = closest();
    const first = left[place];
    const second = near[first].other;
    for (const i of left) {
      sums[i * clients + first] += sums[i * clients + second];
      sums[first * clients + i] = sums[i * clients + first];
    }
    members[first].push(...members[second]);
    left.splice(left.indexOf(second), 1);
    near[first] = nearest(place);
    for (const i of left) {
      if (i > second) break;
      const own = near[i];
      if (i > first) {
        own.isStale ||= own.other === second;
        continue;
      }
      if (i === first) continue;
      const mean = meanOf(i, first);
      own.isStale ||= own.other === first || own.other === second;
      if (mean < own.mean) near[i] = { mean, other: first, isStale: false };
      else if (mean === own.mean && !own.isStale) own.other = Math.min(own.other, first);
    }
  }
  return left.map((cluster) => members[cluster].sort((a, b) => a - b));
}
