import { symmetricEigen } from "../../../numerics/symmetric-eigen.js";
import { combination, dot } from "../../../numerics/vector.js";
import type { Band } from "../transport-bounds.js";

/** Gradients of the bin objectives: the columns of G(theta). */
export type BinGradients = readonly Float64Array[];

/** The gradient G(theta) q of a client that mixes the bins with weights q (eq:app-client-mixture). */
export function mixtureGradient(bins: BinGradients, profile: ArrayLike<number>): Float64Array {
  return combination(bins, profile);
}

/** Smallest and largest factor by which G(theta) stretches vectors that sum to zero (ass:app-gradient). */
export interface RestrictedSingularValues {
  /** m_g */
  readonly smallest: number;
  /** M_g */
  readonly largest: number;
}

/** The extreme singular values of G on the subspace 1^T v = 0, computed in an orthonormal basis of that subspace. */
export function restrictedSingularValues(bins: BinGradients): RestrictedSingularValues {
  const images = helmertBasis(bins.length).map((v) => combination(bins, v));
  const n = images.length;
  const gram = Float64Array.from({ length: n * n }, (_, at) =>
    dot(images[Math.floor(at / n)], images[at % n]),
  );
  const values = symmetricEigen(gram, n).values.map((value) => Math.sqrt(Math.max(0, value)));
  return { smallest: Math.min(...values), largest: Math.max(...values) };
}

/** An orthonormal basis of the vectors of length n that sum to zero (Helmert's). */
export function helmertBasis(n: number): Float64Array[] {
  return Array.from({ length: n - 1 }, (_, at) => {
    const ones = at + 1;
    const scale = 1 / Math.sqrt(ones * (ones + 1));
    return Float64Array.from({ length: n }, (_, i) => (i < ones ? scale : i === ones ? -ones * scale : 0));
  });
}

/** Lower and upper bound of H_g for a given H_q (eq:app-gradient-sandwich). */
export function gradientBand({ smallest, largest }: RestrictedSingularValues, hQ: number): Band {
  return { lower: smallest ** 2 * hQ, upper: largest ** 2 * hQ };
}

/**
 * Lower and upper bound of H_g for a given H_W (eq:app-physical-gradient). The upper bound is infinite if cMin is 0.
 */
export function physicalBand(
  { smallest, largest }: RestrictedSingularValues,
  {
    bins,
    cMin,
    cMax,
    hW,
  }: { readonly bins: number; readonly cMin: number; readonly cMax: number; readonly hW: number },
): Band {
  return {
    lower: ((4 * smallest ** 2) / (bins * cMax ** 2)) * hW,
    upper: cMin > 0 ? ((4 * largest ** 2) / cMin ** 2) * hW : Infinity,
  };
}

/**
 * The expected weighted square of g_k - G q_k: sum_k p_k sum_b (n_kb / n_k^2) (1 - n_kb / N_b) S_b^2. Each bin deals
 * its samples to clients at random without replacement, n_kb of them to client k. The paper does not state this
 * formula, because it omits within-bin noise.
 *
 * @param variances S_b^2, the sample variance of the gradients of single samples of a bin
 */
export function expectedBinNoise(
  counts: readonly (readonly number[])[],
  variances: ArrayLike<number>,
): number {
  const sizes = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const total = sizes.reduce((a, b) => a + b, 0);
  let noise = 0;
  for (let bin = 0; bin < variances.length; bin++) {
    const size = counts.reduce((sum, row) => sum + row[bin], 0);
    counts.forEach((row, k) => {
      const share = size === 0 ? 0 : 1 - row[bin] / size;
      noise += (sizes[k] / total) * (row[bin] / sizes[k] ** 2) * share * variances[bin];
    });
  }
  return noise;
}
