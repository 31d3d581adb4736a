import type { SampleGroup } from "./objectives.js";

/** Moments of single-sample gradients about the mean gradient of their client. */
export interface NoiseMoments {
  /** sigma_k^2 = E ||y||^2 for a sample of client k, with y = g_i - g_k. */
  readonly variances: readonly number[];
  /** tr(S_j S_k) = E[(y . y')^2] for samples of clients j and k, where S_k is the covariance of y. */
  readonly cross: readonly (readonly number[])[];
  /** Var(||y||^2) per client. */
  readonly squares: readonly number[];
  /** `along` is E[(d_k . y)^2] and `skew` is E[(d_k . y) ||y||^2], with d_k = g_k - g. */
  readonly along: readonly number[];
  readonly skew: readonly number[];
}

/** Computes the exact moments from the Gram matrix g_i . g_j of all single-sample gradients, row-major. */
export function noiseMoments(
  gram: ArrayLike<number>,
  groups: readonly SampleGroup[],
  weights: ArrayLike<number>,
): NoiseMoments {
  const samples = Math.sqrt(gram.length);
  const averaged = (values: readonly number[]) =>
    values.reduce((sum, value, k) => sum + weights[k] * value, 0);
  const meanOver = (group: SampleGroup, of: (sample: number) => number) =>
    group.reduce((sum, sample) => sum + of(sample), 0) / group.length;
  // g_i . g_k of samples and clients, and g_j . g_k of clients
  const withClient = Array.from({ length: samples }, (_, i) =>
    groups.map((group) => meanOver(group, (j) => gram[i * samples + j])),
  );
  const ofClients = groups.map((group) => groups.map((_, k) => meanOver(group, (i) => withClient[i][k])));
  const product = (i: number, j: number, k: number, l: number) =>
    gram[i * samples + j] - withClient[i][l] - withClient[j][k] + ofClients[k][l];
  const square = (i: number, k: number) => product(i, i, k, k);
  const alongMean = (i: number, k: number) =>
    withClient[i][k] - averaged(withClient[i]) - (ofClients[k][k] - averaged(ofClients[k]));
  const variances = groups.map((group, k) => meanOver(group, (i) => square(i, k)));
  return {
    variances,
    cross: groups.map((group, k) =>
      groups.map((other, l) => meanOver(group, (i) => meanOver(other, (j) => product(i, j, k, l) ** 2))),
    ),
    squares: groups.map((group, k) => meanOver(group, (i) => (square(i, k) - variances[k]) ** 2)),
    along: groups.map((group, k) => meanOver(group, (i) => alongMean(i, k) ** 2)),
    skew: groups.map((group, k) => meanOver(group, (i) => alongMean(i, k) * square(i, k))),
  };
}

/**
 * The variance of D_loc over batches drawn with replacement, to leading order in the learning rate. It gives the
 * standard error of a mean over draws, which need not be estimated from a few draws of a skewed distribution.
 *
 * D_loc / eta^2 is E^2 H_g + 2 E sum_k p_k d_k . S_k + sum_k p_k ||S_k||^2 - ||sum_k p_k S_k||^2. S_k is a client's
 * noise, summed over its steps.
 */
export function dispersionVariance(
  { cross, squares, along, skew }: NoiseMoments,
  options: {
    readonly rate: number;
    readonly steps: number;
    /** Batch size in samples. */
    readonly batch: number;
    readonly weights: ArrayLike<number>;
  },
): number {
  const { rate, steps, batch, weights } = options;
  const drawn = steps * batch;
  let variance = 0;
  squares.forEach((ofSquare, k) => {
    const p = weights[k];
    const own = p * (1 - p);
    variance += 4 * steps ** 2 * p ** 2 * (drawn / batch ** 2) * along[k];
    variance += (own ** 2 * (2 * drawn * (drawn - 1) * cross[k][k] + drawn * ofSquare)) / batch ** 4;
    variance += (4 * steps * p * own * drawn * skew[k]) / batch ** 3;
    for (let j = 0; j < k; j++) variance += 4 * (weights[j] * p * (drawn / batch ** 2)) ** 2 * cross[j][k];
  });
  return rate ** 4 * variance;
}
