import { symmetricEigen } from "../../numerics/symmetric-eigen.js";

/** Clients' updates in a plane: along their mean, and along the direction in which they differ most from it. */
export interface UpdatesPlane {
  /** Two numbers for each participant: the end of its arrow. */
  readonly arrows: Float64Array;
  /** Length of the mean update, which lies on the first axis. */
  readonly mean: number;
  /** Share of the updates' squared lengths that the plane shows. */
  readonly shown: number;
}

/**
 * Projects updates on two axes: the first is their weighted mean, the second the first principal component of what is left
 * of them. All that it takes are their inner products, participants x participants.
 *
 * @param shares weights of the mean, which sum to 1
 * @param before the arrows before: the second axis has no sign of its own, and keeps the one that it had
 */
export function updatesPlane(
  products: Float64Array,
  shares: ArrayLike<number>,
  before?: Float64Array,
): UpdatesPlane {
  const count = shares.length;
  const withMean = new Float64Array(count);
  let square = 0;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) withMean[i] += shares[j] * products[i * count + j];
    square += shares[i] * withMean[i];
  }
  const mean = Math.sqrt(Math.max(0, square));
  const along = withMean.map((product) => (mean > 0 ? product / mean : 0));
  const rest = products.map((product, at) => product - along[Math.floor(at / count)] * along[at % count]);
  const { values, vectors } = symmetricEigen(rest, count);
  const first = values.indexOf(Math.max(...values));
  const size = Math.sqrt(Math.max(0, values[first]));
  const across = vectors.slice(first * count, (first + 1) * count).map((entry) => size * entry);
  const isTurned = signOf(across, before) < 0;
  const arrows = Float64Array.from({ length: 2 * count }, (_, i) =>
    i % 2 === 0 ? along[i >> 1] : isTurned ? -across[i >> 1] : across[i >> 1],
  );
  const total = Array.from({ length: count }, (_, i) => products[i * count + i]).reduce((a, b) => a + b, 0);
  const shown = arrows.reduce((sum, value) => sum + value * value, 0);
  return { arrows, mean, shown: total > 0 ? Math.min(1, shown / total) : 1 };
}

/** Whether the second coordinates point as those before did; without any, the longest one points up. */
function signOf(across: Float64Array, before: Float64Array | undefined): number {
  if (before?.length === 2 * across.length) {
    const agreement = across.reduce((sum, value, i) => sum + value * before[2 * i + 1], 0);
    if (agreement !== 0) return agreement;
  }
  return across.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
}
