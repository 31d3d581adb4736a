import type { Fields } from "../datasets/fields.js";
import { OptionError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import type { PartitionOptions } from "../partition/partition.js";
import { PARTITIONERS } from "../partition/partitioners.js";
import { binData } from "./binned-data.js";
import { type MeasuredPartition, partitionBinned } from "./measured-partition.js";

export interface PartitionDatasetOptions extends Omit<PartitionOptions, "bins"> {
  /** Number of solution bins B; default 10. */
  readonly bins?: number;
  /** Threads for the heavy loops; the results do not depend on them. */
  readonly threads?: Threads;
  /** GB of memory that the process may take, default 4; larger responses are read again as needed. */
  readonly memory?: number;
}

/**
 * The whole pipeline in one call: normalise the responses, fit solution bins, split them among clients with a
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
  PARTITIONERS.dirichlet.check(data.responses.samples, options); // before the work
  const { bins, threads, memory, ...rest } = options;
  const binned = await binData(data, {
    bins,
    seed: options.seed,
    threads: threads && (() => threads),
    memory,
  });
  return partitionBinned(binned, rest);
}
