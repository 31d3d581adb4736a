import { DataError } from "../errors.js";
import { studentTQuantile } from "./student-t.js";

/** The arithmetic mean. */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new DataError("the mean of no values is not defined");
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  const first = sum / values.length;
  // A second pass over the deviations takes away what the first sum lost to rounding.
  let rest = 0;
  for (let i = 0; i < values.length; i++) rest += values[i] - first;
  return first + rest / values.length;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: ArrayLike<number>): number {
  if (values.length === 0) throw new DataError("the median of no values is not defined");
  const sorted = Array.from(values).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}

/** The sample standard deviation, with n - 1 in the denominator. */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2)
    throw new DataError(`a standard deviation needs 2 values or more, not ${values.length}`);
  const centre = mean(values);
  let square = 0;
  for (let i = 0; i < values.length; i++) square += (values[i] - centre) ** 2;
  return Math.sqrt(square / (values.length - 1));
}

export interface MeanInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The mean with its two-sided Student-t confidence interval. The default level is 0.95. */
export function meanInterval(values: ArrayLike<number>, level = 0.95): MeanInterval {
  const centre = mean(values);
  const error = standardDeviation(values) / Math.sqrt(values.length);
  const half = error * studentTQuantile((1 + level) / 2, values.length - 1);
  return { mean: centre, low: centre - half, high: centre + half };
}

/** Pearson's correlation. It is NaN if either input is constant. */
export function pearson(x: ArrayLike<number>, y: ArrayLike<number>): number {
  if (x.length !== y.length)
    throw new DataError(`a correlation needs pairs, not ${x.length} and ${y.length} values`);
  if (x.length < 2) throw new DataError(`a correlation needs 2 pairs or more, not ${x.length}`);
  const xMean = mean(x);
  const yMean = mean(y);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = x[i] - xMean;
    const dy = y[i] - yMean;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  if (xx === 0 || yy === 0) return NaN;
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx) / Math.sqrt(yy)));
}

/** Spearman's rank correlation: Pearson's correlation of the ranks. */
export function spearman(x: ArrayLike<number>, y: ArrayLike<number>): number {
  return pearson(ranks(x), ranks(y));
}

/** Ranks from 1; equal values share the mean of their ranks. */
export function ranks(values: ArrayLike<number>): Float64Array {
  const bad = Array.from(values).findIndex(Number.isNaN);
  if (bad >= 0) throw new DataError(`value ${bad} of a ranking is NaN`);
  const order = Array.from(values, (_, index) => index).sort((a, b) => values[a] - values[b]);
  const result = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    for (let p = start; p < end; p++) result[order[p]] = (start + 1 + end) / 2;
  }
  return result;
}
