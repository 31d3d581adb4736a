import { diagnose } from "../diagnostics/diagnose.js";
import type { Metrics } from "../diagnostics/metrics.js";
import { OptionError } from "../errors.js";
import { checkOptions, type PartitionOptions } from "../partition/partition.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";
import type { GivenClients } from "../partition/partitioner.js";
import { type BinnedData, type BinningOptions, type DataToPartition, openBinning } from "./binned-data.js";
import { diagnosticsInput, partitionBinned } from "./measured-partition.js";
import { type StartStep, silentSteps } from "./progress.js";
import { clientCount, type KnowledgeSources, knowledgeOf, wantedBy } from "./sample-knowledge.js";

/** What a number of bins gives. */
export interface SweepPoint {
  readonly bins: number;
  /** Share of the variance of the responses that the bins explain. */
  readonly explainedVariance: number;
  /** Mean distance of a response from its centroid, in units of s_u. */
  readonly quantisationError: number;
  /** D_sol of the clients, and of IID clients of the same sizes. */
  readonly d_sol: number;
  readonly d_sol_floor: number;
  /** Samples of the smallest bin. */
  readonly smallest: number;
}

export interface SweepOptions
  extends Pick<PartitionOptions, "alpha" | "seed" | "minSize" | "repair" | "partitioner">,
    Pick<BinningOptions, "threads" | "memory" | "representation" | "standardise" | "cost"> {
  /** Number of clients; default 10, or as many as the partitioner finds. */
  readonly clients?: number;
  /** Seed of the bins; default: that of the draw. */
  readonly binsSeed?: number;
  /** Clients that stay as they are for every number of bins, in place of a draw. */
  readonly given?: GivenClients;
  /** Called once all responses have been read, before any fit. */
  readonly onRead?: () => Promise<void>;
  readonly startStep?: StartStep;
}

/**
 * Fits several numbers of bins to the same responses, which are normalised once, and partitions them each time. With the
 * seed and options of a partition, its own number of bins gives that partition again.
 */
export async function sweepBins(
  data: DataToPartition & KnowledgeSources,
  counts: readonly number[],
  options: SweepOptions,
): Promise<readonly SweepPoint[]> {
  const { representation, standardise, cost } = options;
  if (typeof cost === "object")
    throw new OptionError(`${cost.name} has costs for one number of bins: a sweep takes l2, h1 or discrete`);
  const { threads, memory, given, seed = 0, binsSeed = seed, startStep = silentSteps } = options;
  const { samples, shape } = data.responses;
  const most = Math.max(...counts);
  if (most > samples)
    throw new OptionError(`${samples} responses cannot fill ${most} bins: sweep up to ${samples}`);
  const measure = given ? measureGiven(given, seed) : await drawnMeasure(data, options);

  const reading = startStep("Reading and normalising responses");
  const binning = await openBinning(
    { ...data, inputs: undefined },
    {
      threads,
      memory,
      representation,
      standardise,
      cost,
      onProgress: (fraction) => reading.update(fraction, 1),
    },
  );
  reading.finish(`${samples} responses of ${shape.join(" x ") || "1"} values`);
  try {
    await options.onRead?.();
  } catch (error) {
    await binning.close();
    throw error;
  }
  const fitting = startStep(`Fitting ${counts.length} numbers of bins`);
  try {
    const points: SweepPoint[] = [];
    // A fit costs about as much as it has bins.
    const work = counts.reduce((sum, count) => sum + count, 0);
    let done = 0;
    for (const bins of counts) {
      const binned = await binning.binned(binsSeed, bins);
      const { d_sol, d_sol_floor } = await measure(binned);
      const { quality, quantisationError, binOfSample } = binned.bins;
      const sizes = new Int32Array(bins);
      for (const bin of binOfSample) sizes[bin]++;
      points.push({
        ...{ bins, explainedVariance: quality!.explainedVariance, quantisationError, d_sol, d_sol_floor },
        smallest: sizes.reduce((a, b) => Math.min(a, b)),
      });
      done += bins;
      fitting.update(done, work);
    }
    fitting.finish(`${counts[0]} to ${counts.at(-1)} bins`);
    return points;
  } finally {
    await binning.close();
  }
}

type Measure = (binned: BinnedData) => Promise<Pick<Metrics, "d_sol" | "d_sol_floor">>;

/** Measures clients that do not depend on bins. */
function measureGiven({ clientOfSample, clientNames }: GivenClients, seed: number): Measure {
  return async (binned) => {
    const { bins, binOfSample } = binned.bins;
    const assignment = { clients: clientNames.length, bins, clientOfSample, binOfSample };
    return diagnose(await diagnosticsInput(assignment, binned, { seed })).metrics;
  };
}

/** Draws clients for the bins and measures them. */
async function drawnMeasure(
  data: DataToPartition & KnowledgeSources,
  options: SweepOptions,
): Promise<Measure> {
  const { alpha, seed = 0, minSize, repair, partitioner, threads, memory } = options;
  const { samples } = data.responses;
  const known = await knowledgeOf(wantedBy(partitioner), data, { samples, seed, threads, memory });
  const clients = clientCount(partitioner, known, options.clients, CLIENT_OPTIONS.clients.default);
  const drawn = { clients, alpha, seed, minSize, repair, partitioner };
  checkOptions(samples, drawn);
  return async (binned) => (await partitionBinned(binned, drawn, known)).diagnostics.metrics;
}
