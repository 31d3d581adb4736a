import { type Diagnostics, type DiagnosticsInput, diagnose } from "../diagnostics/diagnose.js";
import { type InputDistances, type InputSpace, inputDistances } from "../diagnostics/input-distance.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { binCost, type SolutionBins } from "../partition/bins.js";
import type { Partition, PartitionOptions } from "../partition/partition.js";
import type { Intention } from "../partition/partitioner.js";
import { PARTITIONERS } from "../partition/partitioners.js";
import type { BinnedData } from "./binned-data.js";

/** A partition with its bins and its diagnostics. */
export interface MeasuredPartition {
  readonly partition: Partition;
  readonly bins: SolutionBins;
  readonly diagnostics: Diagnostics;
  readonly inputDistances?: InputDistances;
  /** Group of every sample, where samples of a group stayed together. */
  readonly groups?: Int32Array;
}

/** Options of a partition of binned data. */
export interface AssignOptions extends Omit<PartitionOptions, "bins"> {
  /** Maximum number of inputs per client for their distances; default 64, fewer for more than 20 clients. */
  readonly inputSamples?: number;
}

/** From binned data to an assignment and its diagnosis. */
export async function partitionBinned(data: BinnedData, options: AssignOptions): Promise<MeasuredPartition> {
  const { inputSamples, ...rest } = options;
  const partition = PARTITIONERS.dirichlet.assign({ ...data.bins, groups: data.groups }, rest);
  const measured = await measurePartition(partition, data.bins, data.inputs, { inputSamples });
  return data.groups ? { ...measured, groups: data.groups } : measured;
}

/** Measures a partition made by `partitionBins`, with its bins and optionally its inputs. */
export async function measurePartition(
  partition: Partition,
  bins: SolutionBins,
  inputs?: InputSpace,
  options: { readonly inputSamples?: number } = {},
): Promise<MeasuredPartition> {
  const input = await diagnosticsInput(
    partition,
    { bins, inputs },
    { ...options, seed: partition.seed, intended: PARTITIONERS.dirichlet.intended?.(partition) },
  );
  return { partition, bins, diagnostics: diagnose(input), inputDistances: input.inputDistances };
}

/** What `diagnose` needs to measure an assignment of binned data, whoever made the assignment. */
export async function diagnosticsInput(
  assignment: Assignment,
  { bins, inputs }: BinnedData,
  options: {
    /** Seed of the random choice of inputs. */
    readonly seed?: number;
    readonly inputSamples?: number;
    readonly intended?: Intention;
  },
): Promise<DiagnosticsInput> {
  const { seed, inputSamples, intended } = options;
  return {
    counts: countTable(assignment),
    cost: binCost(bins),
    drawn: intended,
    quantisationError: bins.quantisationError,
    binQuality: bins.quality,
    inputDistances: inputs && (await inputDistances(inputs, assignment, { seed, samples: inputSamples })),
  };
}
