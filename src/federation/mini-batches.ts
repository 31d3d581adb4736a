import { shuffledLists } from "../random/shuffled-lists.js";
import { batchesPerPass, ORDER } from "./data-order.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { RunOptions } from "./run-options.js";

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
  const clients = owners.flatMap(({ clientIndices, options: { seed, batch }, offset }) =>
    clientIndices.map((samples, client) => ({
      samples,
      size: Math.min(batch, samples.length),
      passBatches: batchesPerPass(samples.length, batch),
      seed,
      client,
      offset,
    })),
  );
  const lists = shuffledLists(
    clients.map(({ samples, seed, client, offset }) => ({
      values: samples.map((sample) => sample + offset),
      seed,
      name: [ORDER, client],
    })),
  );
  const { values, starts } = lists;
  const passes = new Float64Array(clients.length).fill(-1);
  const places = localSteps * clients.length;
  const pair = [0, 1].map(() => ({
    indices: new Int32Array(places * rows),
    weights: new Float32Array(places * rows),
    lengths: new Int32Array(places), // of the batches that the weights are for
  }));

  return (round) => {
    const { indices, weights, lengths } = pair[round % 2];
    for (let client = 0; client < clients.length; client++) {
      const { samples, size, passBatches } = clients[client];
      for (let step = 0; step < localSteps; step++) {
        const taken = round * localSteps + step;
        const pass = Math.floor(taken / passBatches);
        if (pass !== passes[client]) {
          lists.shuffle(client, pass);
          passes[client] = pass;
        }
        const first = (taken - pass * passBatches) * size;
        const length = Math.min(size, samples.length - first);
        const place = step * clients.length + client;
        const at = place * rows;
        const from = starts[client] + first;
        indices.set(values.subarray(from, from + length), at);
        if (length < rows) indices.fill(values[from], at + length, at + rows);
        if (length === lengths[place]) continue;
        weights.fill(1 / length, at, at + length).fill(0, at + length, at + rows);
        lengths[place] = length;
      }
    }
    return { indices, weights };
  };
}
