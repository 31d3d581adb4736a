/** Draws counted in cells that the given inner bounds separate; `bounds` ascend. */
export function histogram(draws: Float64Array, bounds: readonly number[]): number[] {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const draw of draws) {
    const cell = bounds.findIndex((bound) => draw < bound);
    counts[cell < 0 ? bounds.length : cell]++;
  }
  return counts;
}

/**
 * The statistic of Kolmogorov and Smirnov, sqrt(n) sup |F_n - F|, at the bounds of equally likely cells.
 * Above 1.95 once in a thousand samples of the right distribution.
 */
export function kolmogorovSmirnov(counts: readonly number[]): number {
  const draws = counts.reduce((a, b) => a + b, 0);
  let below = 0;
  let largest = 0;
  counts.forEach((count, cell) => {
    below += count;
    largest = Math.max(largest, Math.abs(below / draws - (cell + 1) / counts.length));
  });
  return Math.sqrt(draws) * largest;
}

/**
 * Pearson's chi-square of counts in equally likely cells, less its mean and divided by its standard deviation.
 * Above 4 about once in ten thousand samples.
 */
export function chiSquareScore(counts: readonly number[]): number {
  const freedom = counts.length - 1;
  const expected = counts.reduce((a, b) => a + b, 0) / counts.length;
  const square = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (square - freedom) / Math.sqrt(2 * freedom);
}
