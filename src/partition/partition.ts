import { OptionError } from "../errors.js";
import { type Allocation, allocate } from "./allocate.js";
import type { Assignment, Repair } from "./assignment.js";
import { type RepairRule, repairMinimumSize } from "./repair.js";
import { verifyExactCover } from "./verify.js";

export interface PartitionOptions {
  /** Number of clients K, at least 2. */
  readonly clients: number;
  /** Number of solution bins B that `binOfSample` refers to. */
  readonly bins: number;
  /** Dirichlet concentration, from 1e-6 to 1e9. */
  readonly alpha: number;
  /** Seed of the draws; default 0. */
  readonly seed?: number;
  /** Minimum number of samples per client; default 16, as in the paper. */
  readonly minSize?: number;
  /** Which client gives samples to a client below `minSize`; default `closest`. */
  readonly repair?: RepairRule;
}

/** The paper's smallest client. */
export const DEFAULT_MIN_SIZE = 16;

/** A finite-sample solution-space PDE-Dirichlet partition, with its draw and its repairs. */
export interface Partition extends Assignment {
  readonly alpha: number;
  readonly seed: number;
  readonly minSize: number;
  readonly repair: RepairRule;
  readonly proportions: Allocation["proportions"];
  readonly target: Allocation["target"];
  readonly repairs: readonly Repair[];
}

/** Partitions samples with known bins (Algorithm 1, from line 2). */
export function partitionBins(binOfSample: Int32Array, options: PartitionOptions): Partition {
  checkOptions(binOfSample.length, options);
  const { clients, bins, alpha, seed = 0, minSize = DEFAULT_MIN_SIZE, repair = "closest" } = options;
  if (!Number.isInteger(bins) || bins < 1)
    throw new OptionError(`the number of bins is a whole number from 1 on, not ${bins}`);
  const allocation = allocate(binOfSample, { clients, bins, alpha, seed });
  const { clientOfSample, repairs } = repairMinimumSize(allocation, binOfSample, minSize, repair);
  const assignment = { clients, bins, clientOfSample, binOfSample };
  verifyExactCover(assignment, minSize);
  const { proportions, target } = allocation;
  return { ...assignment, alpha, seed, minSize, repair, proportions, target, repairs };
}

/** Refuses options that no partition of this many samples can satisfy. */
export function checkOptions(
  samples: number,
  options: Pick<PartitionOptions, "clients" | "alpha" | "seed" | "minSize">,
): void {
  if (!options) throw new OptionError("a partition takes options, such as { clients: 10, alpha: 0.1 }");
  const { clients, alpha, seed = 0, minSize = DEFAULT_MIN_SIZE } = options;
  if (!Number.isInteger(clients) || clients < 2)
    throw new OptionError(`clients is a whole number from 2 on, not ${clients}`);
  if (!(alpha >= 1e-6 && alpha <= 1e9))
    throw new OptionError(`alpha is a number from 1e-6 to 1e9, not ${alpha}`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new OptionError(`seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}`);
  if (!Number.isInteger(minSize) || minSize < 1)
    throw new OptionError(`the minimum size is a whole number from 1 on, not ${minSize}`);
  if (samples < 2) throw new OptionError(`${samples} samples cannot be split: there are at least 2 clients`);
  if (samples < clients * minSize) {
    const most = Math.floor(samples / clients);
    throw new OptionError(
      `${samples} samples cannot give ${clients} clients at least ${minSize} each: ` +
        (most >= 1
          ? `a minimum size of ${most} would do`
          : `take at most ${samples} clients and a minimum size of 1`),
    );
  }
}
