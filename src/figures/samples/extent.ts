/** The smallest and the largest of some values that are finite; zeros where there are none. */
export function extent(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return low <= high ? [low, high] : [0, 0];
}
