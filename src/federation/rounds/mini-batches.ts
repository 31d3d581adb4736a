import { batchedShuffles } from "../../random/batched-shuffles.js";
import { ORDER } from "../data-order.js";
import type { Federation } from "../federation.js";
import { mostStepsOf, type StepOptions } from "../participation/local-steps-taken.js";
import type { RunOptions } from "../run-options.js";

/** Whose batches are drawn: the clients of a run. */
export interface BatchOwner {
  readonly clientIndices: Federation["clientIndices"];
  readonly options: Pick<RunOptions, "seed" | "batch">;
  /** Added to every index: where the run's samples begin among those of all. */
  readonly offset: number;
}

/** Different samples that a client with so many of them takes in a round, at most. */
export function differentSamples(samples: number, options: Omit<StepOptions, "seed">): number {
  return Math.min(samples, mostStepsOf(samples, options) * options.batch);
}

/** The batches of all steps of a round, [steps, clients of all owners, rows]. */
export interface Batches {
  readonly indices: Int32Array;
  readonly weights: Float32Array;
}

/**
 * The batches of whole rounds, those that `dataOrder` has for each client. Batches with fewer than `rows` samples are
 * filled up with their first one at weight zero.
 *
 * @returns batches by the round; the arrays are used again two rounds later
 */
export function miniBatches(
  owners: readonly BatchOwner[],
  { steps, rows }: { readonly steps: number; readonly rows: number },
): (round: number) => Batches {
  const lists = owners.flatMap(({ clientIndices, options: { seed, batch }, offset }) =>
    clientIndices.map((samples, client) => ({
      values: samples.map((sample) => sample + offset),
      seed,
      name: [ORDER, client],
      batch: Math.min(batch, samples.length),
    })),
  );
  const take = batchedShuffles(lists, { batches: steps, width: rows });
  const places = steps * lists.length;
  const pair = [0, 1].map(() => ({
    weights: new Float32Array(places * rows),
    lengths: new Int32Array(places), // of the batches that the weights are for
  }));

  return (round) => {
    const { values, lengths } = take(round * steps);
    const { weights, lengths: known } = pair[round % 2];
    for (let place = 0; place < places; place++) {
      const length = lengths[place];
      if (length === known[place]) continue;
      const at = place * rows;
      weights.fill(1 / length, at, at + length).fill(0, at + length, at + rows);
      known[place] = length;
    }
    return { indices: values, weights };
  };
}
