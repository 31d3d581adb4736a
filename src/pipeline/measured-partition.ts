import { type Diagnostics, type DiagnosticsInput, diagnose } from "../diagnostics/diagnose.js";
import { type InputDistances, type InputSpace, inputDistances } from "../diagnostics/input-distance.js";
import { type Assignment, countTable } from "../partition/assignment.js";
import { binCost, type SolutionBins } from "../partition/bins.js";
import { drawPartition, intentionOf, type Partition, type PartitionOptions } from "../partition/partition.js";
import type { Intention, Known } from "../partition/partitioner.js";
import type { BinnedData } from "./binned-data.js";

/** A partition with its bins and its diagnostics. */
export interface MeasuredPartition {
  readonly partition: Partition;
  readonly bins: SolutionBins;
  readonly diagnostics: Diagnostics;
  readonly inputDistances?: InputDistances;
  /** Group of every sample, where samples of a group stayed together. */
  readonly groups?: Int32Array;
  /** What the partitioner knew of every sample besides its bin. */
  readonly known?: Known;
}

/** Options of a partition of binned data. */
export interface AssignOptions extends Omit<PartitionOptions, "bins"> {
  /** Maximum number of inputs per client for their distances; default 64, fewer for more than 20 clients. */
  readonly inputSamples?: number;
  /** Whether the optimal plans of all pairs of clients are wanted; default true. */
  readonly plans?: boolean;
}

/** From binned data, and what the partitioner wants to know besides, to an assignment and its diagnosis. */
export async function partitionBinned(
  data: BinnedData,
  options: AssignOptions,
  known: Known = {},
): Promise<MeasuredPartition> {
  const { inputSamples, plans, ...rest } = options;
  const { bins, binOfSample } = data.bins;
  const partition = drawPartition({ bins, binOfSample, groups: data.groups, ...known }, rest);
  const measured = await measurePartition(partition, data.bins, data.inputs, { inputSamples, plans });
  return {
    ...measured,
    ...(data.groups && { groups: data.groups }),
    ...(Object.keys(known).length > 0 && { known }),
  };
}

/** Measures a partition made here, with its bins and optionally its inputs. */
export async function measurePartition(
  partition: Partition,
  bins: SolutionBins,
  inputs?: InputSpace,
  options: Pick<AssignOptions, "inputSamples" | "plans"> = {},
): Promise<MeasuredPartition> {
  const input = await diagnosticsInput(
    partition,
    { bins, inputs },
    { ...options, seed: partition.seed, intended: intentionOf(partition) },
  );
  const measured = diagnose(input);
  const diagnostics = { ...measured, notes: [...(partition.notes ?? []), ...measured.notes] };
  return { partition, bins, diagnostics, inputDistances: input.inputDistances };
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
    readonly plans?: boolean;
  },
): Promise<DiagnosticsInput> {
  const { seed, inputSamples, intended, plans } = options;
  return {
    counts: countTable(assignment),
    cost: binCost(bins),
    drawn: intended,
    seed,
    plans,
    quantisationError: bins.quantisationError,
    binQuality: bins.quality,
    binRemarks: bins.notes,
    inputDistances: inputs && (await inputDistances(inputs, assignment, { seed, samples: inputSamples })),
  };
}
