import { type Options, realNumber } from "../options/option.js";
import { checkOptions, type Partition, type PartitionOptions, partitionBins } from "./partition.js";
import { LARGEST_ALPHA, SMALLEST_ALPHA } from "./partition-options.js";
import type { Partitioner } from "./partitioner.js";

/** Options of the Dirichlet partitioner alone. */
export const DIRICHLET_OPTIONS = {
  alpha: realNumber({
    from: SMALLEST_ALPHA,
    to: LARGEST_ALPHA,
    help: "Dirichlet concentration; smaller is more heterogeneous",
  }),
} as const satisfies Options;

/** The paper's partitioner: every bin is split by Dirichlet shares (alg:pde-dirichlet). */
export const dirichlet: Partitioner<Omit<PartitionOptions, "bins">, Partition> = {
  describe: "split every solution bin among the clients by Dirichlet shares (the paper's)",
  options: DIRICHLET_OPTIONS,
  check: checkOptions,
  assign: ({ binOfSample, bins, groups }, options) =>
    partitionBins(binOfSample, { ...options, bins }, groups),
  intended: ({ alpha, proportions, target, repairs }) => ({
    alpha,
    proportions,
    target,
    repairs: repairs.length,
  }),
};
