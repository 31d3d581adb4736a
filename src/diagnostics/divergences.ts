import { log } from "../numerics/elementary.js";

/** Distances between histograms that know nothing of where the bins lie. Both arguments sum to 1. */

/** Total variation: half the L1 distance, from 0 to 1. */
export function totalVariation(p: ArrayLike<number>, q: ArrayLike<number>): number {
  let sum = 0;
  for (let b = 0; b < p.length; b++) sum += Math.abs(p[b] - q[b]);
  return sum / 2;
}

/** Jensen-Shannon distance: the square root of the divergence in bits, from 0 to 1 (SciPy's, with base 2). */
export function jensenShannon(p: ArrayLike<number>, q: ArrayLike<number>): number {
  let bits = 0;
  for (let b = 0; b < p.length; b++) {
    const middle = (p[b] + q[b]) / 2;
    if (p[b] > 0) bits += p[b] * log(p[b] / middle);
    if (q[b] > 0) bits += q[b] * log(q[b] / middle);
  }
  return Math.sqrt(Math.max(0, bits / 2 / Math.LN2));
}

/** Hellinger distance, from 0 to 1. */
export function hellinger(p: ArrayLike<number>, q: ArrayLike<number>): number {
  let sum = 0;
  for (let b = 0; b < p.length; b++) sum += square(Math.sqrt(p[b]) - Math.sqrt(q[b]));
  return Math.sqrt(sum / 2);
}

/** Euclidean distance, squared. */
export function squaredDistance(p: ArrayLike<number>, q: ArrayLike<number>): number {
  let sum = 0;
  for (let b = 0; b < p.length; b++) sum += square(p[b] - q[b]);
  return sum;
}

/** A product, not a power: `**` may round differently from one JavaScript engine to the next. */
function square(x: number): number {
  return x * x;
}
