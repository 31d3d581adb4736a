import { exp, log } from "../numerics/elementary.js";
import { logDirichlet, logNormalise } from "../random/dirichlet.js";
import { multinomial } from "../random/multinomial.js";
import { shuffle } from "../random/permutation.js";
import { stream } from "../random/stream.js";

export interface AllocationOptions {
  readonly clients: number;
  readonly bins: number;
  /** Dirichlet concentration: small values give every bin to few clients, large ones share it evenly. */
  readonly alpha: number;
  readonly seed: number;
}

/** What the Dirichlet and multinomial draws gave, before any repair. */
export interface Allocation {
  readonly clientOfSample: Int32Array;
  /** All samples, bin by bin, in the random order in which a bin was cut into blocks for the clients. */
  readonly order: Int32Array;
  /** Drawn share of every bin for every client, `proportions[client][bin]`; each bin's shares sum to 1. */
  readonly proportions: readonly Float64Array[];
  /** The histogram that these shares intend for every client, `target[client][bin]`, each summing to 1. */
  readonly target: readonly Float64Array[];
}

/**
 * Splits every bin over the clients: Dirichlet shares (eq:dirichlet), multinomial counts (eq:multinomial), and a
 * random permutation of the bin cut into consecutive blocks of these counts (alg:pde-dirichlet).
 *
 * The streams are named by seed, bin and client but not by alpha, so that a smaller alpha deforms the same draw
 * instead of making an unrelated one: partitions at several alphas of a seed are paired, and the realised
 * distance is nearly monotone in alpha, which is what a search for a target distance needs.
 */
export function allocate(binOfSample: Int32Array, options: AllocationOptions): Allocation {
  const { clients, bins, alpha, seed } = options;
  const samplesOfBin = Array.from({ length: bins }, () => [] as number[]);
  binOfSample.forEach((bin, sample) => {
    samplesOfBin[bin].push(sample);
  });

  const clientOfSample = new Int32Array(binOfSample.length).fill(-1);
  const order: number[] = [];
  const logShares: Float64Array[] = [];
  for (let bin = 0; bin < bins; bin++) {
    const components = Array.from({ length: clients }, (_, client) => stream(seed, "dirichlet", bin, client));
    const logShare = logDirichlet(components, alpha);
    const samples = shuffle(stream(seed, "order", bin), samplesOfBin[bin]);
    const counts = multinomial(stream(seed, "counts", bin), samples.length, logShare.map(exp));
    let next = 0;
    counts.forEach((count, client) => {
      for (const end = next + count; next < end; next++) clientOfSample[samples[next]] = client;
    });
    for (const sample of samples) order.push(sample);
    logShares.push(logShare);
  }

  const logSizes = samplesOfBin.map((samples) => log(samples.length));
  const proportions: Float64Array[] = [];
  const target: Float64Array[] = [];
  for (let client = 0; client < clients; client++) {
    proportions.push(Float64Array.from(logShares, (logShare) => exp(logShare[client])));
    target.push(
      logNormalise(Float64Array.from(logShares, (logShare, bin) => logShare[client] + logSizes[bin])).map(
        exp,
      ),
    );
  }
  return { clientOfSample, order: Int32Array.from(order), proportions, target };
}
