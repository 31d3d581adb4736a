import { allocate } from "../../../partition/allocate.js";
import { countTable } from "../../../partition/assignment.js";
import { partitionBins } from "../../../partition/partition.js";
import type { RepairRule } from "../../../partition/repair.js";
import { histogramsOf } from "../profiles.js";
import type { BinSetting } from "../setting.js";

/** A partition as the theory sees it: realised histograms, their weights, and what was drawn for them. */
export interface FinitePartition {
  readonly clients: number;
  readonly alpha: number;
  readonly seed: number;
  /** `none`: as counts were drawn, with clients of any size. */
  readonly repair: RepairRule | "none";
  /** Samples that repair moved. */
  readonly moved: number;
  /** Clients x bins. */
  readonly counts: readonly (readonly number[])[];
  /** Realised histograms; zeros for a client without samples, whose weight is zero. */
  readonly histograms: readonly Float64Array[];
  /** p_k = n_k / N. */
  readonly weights: Float64Array;
  /** The histograms that the drawn shares intend, u_k / s_k: the population target of prop:app-finite. */
  readonly target: readonly Float64Array[];
}

/** Concentrations of the checks, one a decade. Descending, as in the paper's figures. */
export const CHECKED_ALPHAS: readonly number[] = [1000, 100, 10, 1, 0.1, 0.01, 0.001];
const CLIENTS: readonly number[] = [2, 5, 10, 20, 50];
const SEEDS = 5;

/** Partitions of the setting's bins over numbers of clients, concentrations and seeds, made by the product's own code. */
export function* finitePartitions(
  { options, data }: BinSetting,
  repairs: readonly FinitePartition["repair"][],
): Generator<FinitePartition> {
  const { minSize, train } = options;
  const { binOfSample, bins } = data.bins;
  const clientCounts = [...new Set([...CLIENTS, options.clients])].filter(
    (count) => count * minSize <= train,
  );
  for (const clients of clientCounts.sort((a, b) => a - b))
    for (const alpha of CHECKED_ALPHAS)
      for (let seed = options.seed; seed < options.seed + SEEDS; seed++)
        for (const repair of repairs) {
          const drawing = { clients, bins, alpha, seed };
          const {
            clientOfSample,
            target,
            repairs: moves,
          } = repair === "none"
            ? { ...allocate(binOfSample, drawing), repairs: [] }
            : partitionBins(binOfSample, { ...drawing, minSize, repair });
          const counts = countTable({ clients, bins, clientOfSample, binOfSample });
          yield {
            clients,
            alpha,
            seed,
            repair,
            moved: moves.length,
            counts,
            target,
            ...histogramsOf(counts),
          };
        }
}
