/**
 * How likely a table of counts is as uneven as this one if clients took their samples without regard to bins, given the
 * sizes of clients and bins: Pearson's chi-square with its exact mean and variance for fixed margins (Dawson, 1954), so
 * that sparse tables are judged rightly, and the cube-root approximation of Wilson and Hilferty (1931).
 *
 * @param counts clients x bins; empty rows and columns are passed over
 * @returns standard deviations above what chance gives; above 2.33 in one table of a hundred
 */
export function dependenceScore(counts: readonly (readonly number[])[]): number {
  const rows = counts.map((row) => row.reduce((a, b) => a + b, 0)).filter((size) => size > 0);
  const columns = (counts[0] ?? [])
    .map((_, bin) => counts.reduce((sum, row) => sum + row[bin], 0))
    .filter((size) => size > 0);
  const total = rows.reduce((a, b) => a + b, 0);
  if (rows.length < 2 || columns.length < 2 || total < 4) return 0;
  const { mean, variance } = momentsUnderIndependence(rows, columns, total);
  if (!(variance > 0)) return 0;
  const degrees = (2 * mean * mean) / variance;
  const spread = 2 / (9 * degrees);
  return (Math.cbrt(chiSquare(counts) / mean) - (1 - spread)) / Math.sqrt(spread);
}

/** Pearson's statistic: N times (the sum of n_kb^2 / (n_k n_b), minus 1). */
export function chiSquare(counts: readonly (readonly number[])[]): number {
  const rows = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const columns = counts[0].map((_, bin) => counts.reduce((sum, row) => sum + row[bin], 0));
  const total = rows.reduce((a, b) => a + b, 0);
  let sum = 0;
  counts.forEach((row, client) => {
    row.forEach((count, bin) => {
      if (count > 0) sum += (count * count) / (rows[client] * columns[bin]);
    });
  });
  return total * (sum - 1);
}

/** Mean and variance of Pearson's statistic over all tables with these margins. */
export function momentsUnderIndependence(
  rows: readonly number[],
  columns: readonly number[],
  total: number,
): { readonly mean: number; readonly variance: number } {
  const side = (sizes: readonly number[]) => {
    const length = sizes.length;
    const reciprocals = sizes.reduce((sum, size) => sum + total / size, 0);
    return {
      v: ((length - 1) * (total - length)) / (total - 1),
      w: (reciprocals - length * length) / (total - 2),
    };
  };
  const [a, b] = [side(rows), side(columns)];
  return {
    mean: (total * (rows.length - 1) * (columns.length - 1)) / (total - 1),
    variance:
      ((2 * total) / (total - 3)) * (a.v - a.w) * (b.v - b.w) + ((total * total) / (total - 1)) * a.w * b.w,
  };
}
