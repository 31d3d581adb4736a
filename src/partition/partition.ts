import { OptionError } from "../errors.js";
import { takes } from "../options/option.js";
import { type Allocation, allocate } from "./allocate.js";
import { fewestGroups, repairsOfSamples, sampleGroups } from "./groups.js";
import {
  CLIENT_OPTIONS,
  DEFAULT_MIN_SIZE,
  LARGEST_ALPHA,
  PARTITION_OPTIONS,
  SMALLEST_ALPHA,
} from "./partition-options.js";
import type { CommonPartitionOptions, PartitionedSamples } from "./partitioner.js";
import { DEFAULT_REPAIR, repairMinimumSize } from "./repair.js";
import { verifyExactCover } from "./verify.js";

export interface PartitionOptions extends CommonPartitionOptions {
  /** Number of solution bins B that `binOfSample` refers to. */
  readonly bins: number;
  /** Dirichlet concentration, from 1e-6 to 1e9. */
  readonly alpha: number;
}

/** A finite-sample solution-space PDE-Dirichlet partition, with its draw and its repairs. */
export interface Partition extends PartitionedSamples {
  readonly alpha: number;
  readonly proportions: Allocation["proportions"];
  readonly target: Allocation["target"];
}

/**
 * Partitions samples with known bins (Algorithm 1, from line 2). Samples of a group, if there are `groups`, stay together:
 * groups are then distributed by the bin that most of their samples have.
 */
export function partitionBins(
  binOfSample: Int32Array,
  options: PartitionOptions,
  groups?: Int32Array,
): Partition {
  checkOptions(binOfSample.length, options);
  const { clients, bins, alpha, seed = 0, minSize = DEFAULT_MIN_SIZE, repair = DEFAULT_REPAIR } = options;
  if (!takes(PARTITION_OPTIONS.bins, bins))
    throw new OptionError(`the number of bins is a whole number from 1 on, not ${bins}`);
  const units = groups && sampleGroups(groups, binOfSample);
  const binOfUnit = units?.binOfGroup ?? binOfSample;
  const fewest = units ? fewestGroups(units, clients, minSize) : minSize;
  const allocation = allocate(binOfUnit, { clients, bins, alpha, seed });
  const repaired = repairMinimumSize(allocation, binOfUnit, fewest, repair);
  const clientOfSample = units
    ? units.groupOfSample.map((group) => repaired.clientOfSample[group])
    : repaired.clientOfSample;
  const repairs = units ? repairsOfSamples(repaired.repairs, units, binOfSample) : repaired.repairs;
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
  if (!takes(CLIENT_OPTIONS.clients, clients))
    throw new OptionError(`clients is a whole number from 2 on, not ${clients}`);
  if (!(alpha >= SMALLEST_ALPHA && alpha <= LARGEST_ALPHA))
    throw new OptionError(`alpha is a number from 1e-6 to 1e9, not ${alpha}`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new OptionError(`seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}`);
  if (!takes(PARTITION_OPTIONS.min_size, minSize))
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
