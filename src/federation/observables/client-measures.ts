import type { ClientUpdate } from "../rounds/client-updates.js";

/** What is measured of single clients at a checkpoint, one number a client. NaN is what cannot be told. */
export interface ClientMeasures {
  /** Relative L2 error on the test set, weighted to the client's bins. */
  readonly testErrors: readonly number[];
  /** Mean squared error over the client's training samples, in squared units of the responses. */
  readonly trainLosses: readonly number[];
  /** Norm of the client's update in the round that ended here; NaN for one that did not take part. */
  readonly updates: readonly number[];
  /** Cosine between this update and the mean of the participants'. */
  readonly cosines: readonly number[];
  /** Relative L2 error of the server's model on the test samples of each bin. */
  readonly binErrors: readonly number[];
}

/** Test samples by bin: squared errors, squared norms, or how many there are. */
export function sumsOfBins(values: ArrayLike<number>, binOfTest: Int32Array, bins: number): Float64Array {
  const sums = new Float64Array(bins);
  for (const [sample, bin] of binOfTest.entries()) sums[bin] += values[sample];
  return sums;
}

/**
 * The relative error that a client sees if the test set had its bins: a test sample of bin b counts q_k(b) / t(b), where
 * q_k(b) is the client's share of training samples in the bin and t(b) the number of test samples there. Bins without test
 * samples are left out; NaN where the client has no others.
 */
export function weightedError(
  counts: ArrayLike<number>,
  { squares, norms, samples }: Readonly<Record<"squares" | "norms" | "samples", Float64Array>>,
): number {
  let [error, norm] = [0, 0];
  for (let bin = 0; bin < samples.length; bin++) {
    if (samples[bin] === 0) continue;
    const weight = counts[bin] / samples[bin];
    error += weight * squares[bin];
    norm += weight * norms[bin];
  }
  return norm > 0 ? Math.sqrt(error / norm) : NaN;
}

/** Updates of all clients, NaN for those that did not take part. */
export function updatesOfAll(
  updates: readonly ClientUpdate[],
  clients: number,
): Pick<ClientMeasures, "updates" | "cosines"> {
  const [sizes, cosines] = [0, 1].map(() => new Array<number>(clients).fill(NaN));
  for (const { client, size, cosine } of updates) {
    sizes[client] = size;
    cosines[client] = cosine;
  }
  return { updates: sizes, cosines };
}
