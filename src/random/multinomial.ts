import type { Stream } from "./stream.js";

/** Counts of `trials` independent draws from the given proportions (summing to 1). */
export function multinomial(random: Stream, trials: number, proportions: Float64Array): Int32Array {
  const cumulative = new Float64Array(proportions.length);
  let total = 0;
  let last = 0;
  for (let k = 0; k < proportions.length; k++) {
    total += proportions[k];
    cumulative[k] = total;
    if (proportions[k] > 0) last = k;
  }
  const counts = new Int32Array(proportions.length);
  for (let trial = 0; trial < trials; trial++) {
    const u = random.uniform() * total;
    let low = 0;
    let high = last; // the first k with cumulative[k] > u, and never a component of proportion zero
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] > u) high = middle;
      else low = middle + 1;
    }
    counts[low]++;
  }
  return counts;
}
