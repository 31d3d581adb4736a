import { binCost } from "../partition/bins.js";
import { checkOptions, type PartitionOptions } from "../partition/partition.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";
import type { Known } from "../partition/partitioner.js";
import { type BinnedData, type BinningOptions, type DataToPartition, openBinning } from "./binned-data.js";
import { type MeasuredPartition, partitionBinned } from "./measured-partition.js";
import { type StartStep, silentSteps } from "./progress.js";
import { clientCount, type KnowledgeSources, knowledgeOf, wantedBy } from "./sample-knowledge.js";
import { findAlpha, type TargetSearch } from "./target-distance.js";

/** One partition of several: a seed, and an alpha unless a target distance chooses it. */
export interface PartitionRun {
  readonly seed: number;
  readonly alpha?: number;
}

export interface PartitionRunsOptions
  extends Pick<PartitionOptions, "minSize" | "repair" | "partitioner">,
    Pick<
      BinningOptions,
      "bins" | "model" | "threads" | "memory" | "representation" | "standardise" | "cost"
    > {
  /** Number of clients; default 10, or as many as the partitioner finds. */
  readonly clients?: number;
  /** D_sol to come closest to, for runs without an alpha. */
  readonly targetDistance?: number;
  readonly inputSamples?: number;
  readonly startStep?: StartStep;
}

export interface PartitionRunResult {
  readonly measured: MeasuredPartition;
  /** Where a target distance was asked for. */
  readonly search?: TargetSearch;
}

/**
 * Makes and measures several partitions of the same data. Responses are normalised once; bins are fitted once per seed
 * and shared by its alphas.
 */
export async function partitionRuns(
  data: DataToPartition & KnowledgeSources,
  runs: readonly PartitionRun[],
  options: PartitionRunsOptions,
): Promise<readonly PartitionRunResult[]> {
  const { minSize, repair, partitioner, model, targetDistance, inputSamples } = options;
  const { startStep = silentSteps, threads, memory } = options;
  const { samples, shape } = data.responses;
  const wanted = wantedBy(partitioner);
  const knownWith = (seed: number) => knowledgeOf(wanted, data, { samples, seed, threads, memory });
  let known: Known = await knownWith(runs[0].seed);
  const clients = clientCount(partitioner, known, options.clients, CLIENT_OPTIONS.clients.default);
  for (const { seed, alpha } of runs)
    checkOptions(samples, {
      ...{ clients, seed, minSize, partitioner },
      alpha: targetDistance === undefined ? alpha : 1,
    });

  const reading = startStep("Reading and normalising responses");
  const binning = await openBinning(data, {
    ...options,
    onProgress: (fraction) => reading.update(fraction, 1),
  });
  reading.finish(`${samples} responses of ${shape.join(" x ") || "1"} values`);
  try {
    const results: PartitionRunResult[] = [];
    let binned: BinnedData | undefined;
    let binnedSeed: number | undefined;
    let knownSeed = runs[0].seed;
    for (const { seed, alpha } of runs) {
      if (!binned || (!model && binnedSeed !== seed)) {
        const fitting = startStep(model ? "Assigning to bins" : `Fitting bins, seed ${seed}`);
        binned = await binning.binned(seed);
        binnedSeed = seed;
        const { bins, iterations } = binned.bins;
        fitting.finish(model ? `${bins} bins reused` : `${bins} bins after ${iterations} iterations`);
      }
      // Clusters of inputs have the run's seed, also where solution bins are reused.
      if (wanted.inputBins !== undefined && knownSeed !== seed) {
        known = await knownWith(seed);
        knownSeed = seed;
      }
      const measuring = startStep(
        `Partitioning, seed ${seed}${alpha === undefined ? "" : `, alpha ${alpha}`}`,
      );
      const base = { clients, seed, minSize, repair, partitioner };
      const { bins } = binned;
      const search =
        targetDistance === undefined
          ? undefined
          : findAlpha(bins.binOfSample, binCost(bins), {
              ...base,
              bins: bins.bins,
              target: targetDistance,
              groups: data.groups,
              known,
              onProgress: (done, total) => measuring.update(done, total),
            });
      const measured = await partitionBinned(
        binned,
        { ...base, alpha: alpha ?? search?.alpha, inputSamples },
        known,
      );
      measuring.finish(`D_sol = ${measured.diagnostics.metrics.d_sol.toFixed(3)}`);
      results.push({ measured, search });
    }
    return results;
  } finally {
    await binning.close();
  }
}
