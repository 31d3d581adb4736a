import { OptionError } from "../errors.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { checkOptions, type PartitionOptions } from "../partition/partition.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";
import { binData } from "./binned-data.js";
import { type MeasuredPartition, partitionBinned } from "./measured-partition.js";
import type { RepresentationOptions, RepresentationSources } from "./represented-data.js";
import { clientCount, type KnowledgeSources, knowledgeOf, wantedBy } from "./sample-knowledge.js";

export interface PartitionDatasetOptions
  extends Omit<PartitionOptions, "bins" | "clients">,
    RepresentationOptions {
  /** Number of clients K; default 10, or as many as the partitioner finds. */
  readonly clients?: number;
  /** Number of solution bins B; default 10. */
  readonly bins?: number;
  /** Threads for the heavy loops; the results do not depend on them. */
  readonly threads?: Threads;
  /** GB of memory that the process may take, default 4; larger responses are read again as needed. */
  readonly memory?: number;
}

/**
 * The whole pipeline in one call: normalise the responses, fit solution bins, split the samples among clients (by a
 * Dirichlet draw unless another partitioner is named), repair, verify, and measure.
 *
 * @example
 * const responses = fieldsInMemory(u, 1000, [101, 101]);
 * const { partition, diagnostics } = await partitionDataset({ responses }, { clients: 10, alpha: 0.1, seed: 42 });
 * diagnostics.metrics.d_sol; // how far apart the clients are
 * partition.clientOfSample;  // which client every sample belongs to
 */
export async function partitionDataset(
  data: RepresentationSources & { readonly groups?: Int32Array } & KnowledgeSources,
  options: PartitionDatasetOptions,
): Promise<MeasuredPartition> {
  if (typeof data?.responses?.read !== "function")
    throw new OptionError("a dataset is { responses }, fields as fieldsInMemory or openData give them");
  if (!options) throw new OptionError("a partition takes options, such as { clients: 10, alpha: 0.1 }");
  const { bins, threads, memory, representation, standardise, cost, ...rest } = options;
  const { samples } = data.responses;
  const { seed, partitioner } = options;
  const work = { seed, threads: threads && (() => threads), memory };
  const known = await knowledgeOf(wantedBy(partitioner), data, { ...work, samples });
  const clients = clientCount(partitioner, known, options.clients, CLIENT_OPTIONS.clients.default);
  checkOptions(samples, { ...rest, clients }); // before the work
  const binned = await binData(data, { ...work, bins, representation, standardise, cost });
  return partitionBinned(binned, { ...rest, clients }, known);
}
