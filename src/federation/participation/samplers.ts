import { log } from "../../numerics/elementary.js";
import { sample } from "../../random/permutation.js";
import type { Stream } from "../../random/stream.js";
import { clustersOf } from "./client-clusters.js";
import type { Sampling } from "./sampling.js";

/** Clients to choose from. */
export interface Sampled {
  /** Share of every client in the training set. */
  readonly weights: Float64Array;
  /** Weight of every client in the average of all: its share, or all alike. */
  readonly counted: Float64Array;
  /** Transport distances between the clients' solution histograms, clients x clients. */
  distances(): Float64Array;
}

export interface SamplerOptions {
  /** Clients that take part in a round. */
  readonly count: number;
  /** Clients that are asked for their losses. */
  readonly candidates: number;
}

/** A chosen client, and the weight that it stands for where that is not its own. */
export interface Chosen {
  readonly client: number;
  readonly standsFor?: number;
}

/** Chooses the participants of a round from a stream of that round; `losses` of all clients where it needs them. */
export type Draw = (random: Stream, losses?: ArrayLike<number>) => readonly Chosen[];

interface Sampler {
  /** The clients whose losses at the start of a round it wants to know, from the stream that `draw` gets. */
  readonly asks?: (clients: Sampled, options: SamplerOptions) => (random: Stream) => readonly number[];
  draw(clients: Sampled, options: SamplerOptions): Draw;
}

/** How participants are chosen. */
export const SAMPLERS: Readonly<Record<Sampling, Sampler>> = {
  /** Every set of so many clients has the same probability. */
  uniform: {
    draw:
      ({ weights }, { count }) =>
      (random) =>
        sample(random, weights.length, count).map((client) => ({ client })),
  },
  /** One after another by their samples, without replacement. */
  size: {
    draw:
      ({ weights }, { count }) =>
      (random) =>
        drawnBySize(random, weights, count).map((client) => ({ client })),
  },
  /** Of some candidates, drawn by size, those with the largest losses (Cho et al., 2020). */
  "power-of-choice": {
    asks:
      ({ weights }, { candidates }) =>
      (random) =>
        drawnBySize(random, weights, candidates),
    draw:
      ({ weights }, { count, candidates }) =>
      (random, losses) =>
        drawnBySize(random, weights, candidates)
          .sort((a, b) => losses![b] - losses![a] || a - b)
          .slice(0, count)
          .map((client) => ({ client })),
  },
  /**
   * One of each cluster of clients with similar solutions, drawn by weight; it stands for the whole cluster, so that every
   * client has its own weight in the mean over draws (Fraboni et al., 2021).
   */
  stratified: {
    draw(clients, { count }) {
      const { counted } = clients;
      const clusters = clustersOf(clients.distances(), counted.length, count);
      return (random) =>
        clusters.map((members) => {
          const own = Float64Array.from(members, (client) => counted[client]);
          const standsFor = own.reduce((a, b) => a + b, 0);
          const at = random.uniform() * standsFor;
          let place = 0;
          for (let sum = own[0]; sum <= at && place < members.length - 1; sum += own[place]) place++;
          return { client: members[place], standsFor };
        });
    },
  },
};

/** Clients drawn one after another by weight, without replacement: the smallest of exponential times of these rates. */
function drawnBySize(random: Stream, weights: Float64Array, count: number): number[] {
  const times = Float64Array.from(weights, (weight) => -log(random.uniform()) / weight);
  return Array.from(times.keys())
    .sort((a, b) => times[a] - times[b] || a - b)
    .slice(0, count);
}
