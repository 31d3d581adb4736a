import { strategyOf } from "../strategies/strategies.js";
import type { Steppers } from "./local-steps.js";
import type { ProgramOptions } from "./program-inputs.js";
import type { Batch } from "./round-batches.js";

/**
 * Batches for the samples that a client's first batch of a round leaves out, where the strategy needs the gradient over all
 * samples at the start of the round: the first step knows that of its batch. As few as have no more rows than a batch of a
 * step, and as short as possible; none where every client takes all samples at every step.
 *
 * @param left the most samples that any of the clients leaves out
 * @param rows of a batch of a step
 */
export function remainingBatches(left: number, rows: number, options: ProgramOptions): Steppers["remaining"] {
  if (!strategyOf(options).usesFullGradient) return undefined;
  const batches = Math.ceil(left / rows);
  return { batches, rows: batches === 0 ? 0 : Math.ceil(left / batches) };
}

/** The most samples that the first batch of a round leaves out: it may be the last one of a pass, which is short. */
export function mostRemaining(samples: number, { batch }: { readonly batch: number }): number {
  return samples - (samples <= batch ? samples : samples % batch || batch);
}

/** A client's samples, and what is to be added to each to have its place among those of all replicas. */
export interface Owner {
  readonly samples: Int32Array;
  readonly offset: number;
}

/** The samples that first batches leave out, and the share of the first batch in the samples of each client. */
export interface Remaining extends Batch {
  readonly shares: Float32Array;
}

/**
 * What the first batches of a round leave out, [batches, clients, rows], at weight 1 / n_k; what a client lacks is filled
 * with its first sample at weight zero.
 *
 * @param steps the batches of the round, [steps, clients, rows of a step], filled up with samples of their own
 */
export function remainingSamples(
  clients: readonly Owner[],
  steps: { readonly indices: Int32Array; readonly rows: number },
  { batches, rows }: NonNullable<Steppers["remaining"]>,
): Remaining {
  const indices = new Int32Array(batches * clients.length * rows);
  const weights = new Float32Array(indices.length);
  const shares = new Float32Array(clients.length);
  const isTaken = new Uint8Array(1 + clients.reduce((most, own) => Math.max(most, lastOf(own)), 0));
  for (const [place, { samples, offset }] of clients.entries()) {
    const from = place * steps.rows;
    for (let i = from; i < from + steps.rows; i++) isTaken[steps.indices[i]] = 1;
    let next = 0;
    let left = 0;
    for (let batch = 0; batch < batches; batch++) {
      const at = (batch * clients.length + place) * rows;
      for (let row = 0; row < rows; row++) {
        while (next < samples.length && isTaken[samples[next] + offset] === 1) next++;
        const isThere = next < samples.length;
        indices[at + row] = offset + samples[isThere ? next++ : 0];
        weights[at + row] = isThere ? 1 / samples.length : 0;
        if (isThere) left++;
      }
    }
    shares[place] = (samples.length - left) / samples.length;
    for (let i = from; i < from + steps.rows; i++) isTaken[steps.indices[i]] = 0;
  }
  return { indices, weights, shares };
}

/** The largest index of a client's samples among those of all replicas; samples are ascending. */
const lastOf = ({ samples, offset }: Owner): number => samples[samples.length - 1] + offset;
