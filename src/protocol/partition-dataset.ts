import type { Fields } from "../datasets/fields.js";
import { type Diagnostics, diagnose } from "../diagnostics/diagnose.js";
import {
  type InputDistances,
  type InputSpace,
  inputDistances,
  inputSpace,
} from "../diagnostics/input-distance.js";
import { OptionError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { countTable } from "../partition/assignment.js";
import { binCost, fitBins, type SolutionBins } from "../partition/bins.js";
import { normaliseResponses } from "../partition/normalise.js";
import {
  checkOptions,
  type Partition,
  type PartitionOptions,
  partitionBins,
} from "../partition/partition.js";

/** A partition with its bins and its diagnostics. */
export interface MeasuredPartition {
  readonly partition: Partition;
  readonly bins: SolutionBins;
  readonly diagnostics: Diagnostics;
  readonly inputDistances?: InputDistances;
}

export interface PartitionDatasetOptions extends Omit<PartitionOptions, "bins"> {
  /** Number of solution bins B; default 10. */
  readonly bins?: number;
  /** Threads for the heavy loops; the results do not depend on them. */
  readonly threads?: Threads;
}

/**
 * The whole protocol in one call: normalise the responses, fit solution bins, split them among clients with a
 * Dirichlet draw, repair, verify, and measure.
 *
 * @example
 * const responses = fieldsInMemory(u, 1000, [101, 101]);
 * const { partition, diagnostics } = await partitionDataset({ responses }, { clients: 10, alpha: 0.1, seed: 42 });
 * diagnostics.metrics.d_sol; // how far apart the clients are
 * partition.clientOfSample;  // which client every sample belongs to
 */
export async function partitionDataset(
  data: { readonly responses: Fields; readonly inputs?: Fields },
  options: PartitionDatasetOptions,
): Promise<MeasuredPartition> {
  if (typeof data?.responses?.read !== "function")
    throw new OptionError("a dataset is { responses }, fields as fieldsInMemory or openData give them");
  checkOptions(data.responses.samples, options); // before the work
  const { bins: count, threads, ...rest } = options;
  const normalised = await normaliseResponses(data.responses, { threads });
  const bins = await fitBins(normalised, { bins: count, seed: options.seed });
  await normalised.matrix.close();
  const inputs = data.inputs && (await inputSpace(data.inputs, { threads }));
  return measurePartition(partitionBins(bins.binOfSample, { ...rest, bins: bins.bins }), bins, inputs);
}

/** Measures a partition made by `partitionBins`, with its bins and optionally its inputs. */
export async function measurePartition(
  partition: Partition,
  bins: SolutionBins,
  inputs?: InputSpace,
  options: { readonly inputSamples?: number } = {},
): Promise<MeasuredPartition> {
  const measuredInputs =
    inputs &&
    (await inputDistances(inputs, partition, { seed: partition.seed, samples: options.inputSamples }));
  const { alpha, proportions, target, repairs } = partition;
  const diagnostics = diagnose({
    counts: countTable(partition),
    cost: binCost(bins),
    drawn: { alpha, proportions, target, repairs: repairs.length },
    quantisationError: bins.quantisationError,
    binQuality: bins.quality,
    inputDistances: measuredInputs,
  });
  return { partition, bins, diagnostics, inputDistances: measuredInputs };
}
