import { dealtLists } from "../random/dealt-lists.js";
import { ORDER } from "./data-order.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { RunOptions } from "./run-options.js";
import { stepsTaken } from "./trainer-state.js";

/** Whose batches are drawn: the clients of a run. */
export interface BatchOwner {
  readonly clientIndices: FederatedProblem["clientIndices"];
  readonly options: Pick<RunOptions, "seed" | "batch">;
  /** Added to every index: where the run's samples begin among those of all. */
  readonly offset: number;
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
  { localSteps, rows }: { readonly localSteps: number; readonly rows: number },
): (round: number) => Batches {
  const lists = owners.flatMap(({ clientIndices, options: { seed, batch }, offset }) =>
    clientIndices.map((samples, client) => ({
      values: samples.map((sample) => sample + offset),
      seed,
      name: [ORDER, client],
      hand: Math.min(batch, samples.length),
    })),
  );
  const deal = dealtLists(lists, { hands: localSteps, width: rows });
  const places = localSteps * lists.length;
  const pair = [0, 1].map(() => ({
    weights: new Float32Array(places * rows),
    lengths: new Int32Array(places), // of the batches that the weights are for
  }));

  return (round) => {
    const { cards, lengths } = deal(stepsTaken(round, { localSteps }));
    const { weights, lengths: known } = pair[round % 2];
    for (let place = 0; place < places; place++) {
      const length = lengths[place];
      if (length === known[place]) continue;
      const at = place * rows;
      weights.fill(1 / length, at, at + length).fill(0, at + length, at + rows);
      known[place] = length;
    }
    return { indices: cards, weights };
  };
}
