import { OptionError } from "../errors.js";
import { takes } from "../options/option.js";
import { shuffle } from "../random/permutation.js";
import { stream } from "../random/stream.js";
import type { Assignment, Repair } from "./assignment.js";
import { fewestGroups, repairsOfSamples } from "./groups.js";
import { ALPHA, CLIENT_OPTIONS, DEFAULT_MIN_SIZE, PARTITION_OPTIONS } from "./partition-options.js";
import type { Draw, Intention, Known, PartitionerChoice } from "./partitioner.js";
import {
  completeChoice,
  DEFAULT_PARTITIONER,
  drawValues,
  partitionerOf,
  takesAlpha,
} from "./partitioners.js";
import { DEFAULT_REPAIR, type RepairRule, repairMinimumSize } from "./repair.js";
import { ofUnits, type Units, unitsOf } from "./units.js";
import { verifyExactCover } from "./verify.js";

export interface PartitionOptions {
  /** Number of clients K, at least 2. */
  readonly clients: number;
  /** Number of solution bins B that `binOfSample` refers to. */
  readonly bins: number;
  /** Dirichlet concentration, from 1e-6 to 1e9, for partitioners that take one. */
  readonly alpha?: number | null;
  /** Seed of the draws; default 0. */
  readonly seed?: number;
  /** Minimum number of samples per client; default 16, as in the paper, and 1 for clients that exist already. */
  readonly minSize?: number;
  /** Which client gives samples to a client below `minSize`; default `closest`. */
  readonly repair?: RepairRule;
  /** Default: the paper's, `{ name: "dirichlet" }`. */
  readonly partitioner?: PartitionerChoice;
}

/** Samples with known bins, and what else is known of each of them. */
export interface PartitionerData extends Known {
  readonly bins: number;
  /** Solution bin of every sample. */
  readonly binOfSample: Int32Array;
  /** Group of every sample, counted from 0; samples of a group go to one client. */
  readonly groups?: Int32Array;
}

/** A partition of samples with its options, its draw and its repairs. */
export interface Partition extends Assignment, Omit<Draw, "clientOfUnit" | "order"> {
  readonly partitioner: PartitionerChoice;
  /** The concentration, of a partitioner that takes one. */
  readonly alpha?: number;
  readonly seed: number;
  readonly minSize: number;
  readonly repair: RepairRule;
  /** Samples that repair moved. */
  readonly repairs: readonly Repair[];
}

/** A finite-sample solution-space PDE-Dirichlet partition: it has an alpha and what was drawn with it. */
export interface DirichletPartition extends Partition {
  readonly alpha: number;
  readonly proportions: readonly Float64Array[];
  readonly target: readonly Float64Array[];
}

/**
 * Partitions samples with known bins by the paper's Dirichlet draw (Algorithm 1, from line 2). Samples of a group, if there
 * are `groups`, stay together: groups are then distributed by the bin that most of their samples have.
 */
export function partitionBins(
  binOfSample: Int32Array,
  options: Omit<PartitionOptions, "partitioner" | "alpha"> & { readonly alpha: number },
  groups?: Int32Array,
): DirichletPartition {
  checkOptions(binOfSample.length, options);
  const { bins, ...rest } = options;
  return drawPartition({ binOfSample, bins, groups }, rest) as DirichletPartition;
}

/** Draws a partition: units, draw, repair and verification, which are the same for every partitioner. */
export function drawPartition(data: PartitionerData, options: Omit<PartitionOptions, "bins">): Partition {
  const { bins, binOfSample, groups } = data;
  checkOptions(binOfSample.length, options);
  if (!takes(PARTITION_OPTIONS.bins, bins))
    throw new OptionError(`the number of bins is a whole number from 1 on, not ${bins}`);
  const { clients, seed = 0, repair = DEFAULT_REPAIR } = options;
  const choice = options.partitioner ?? { name: DEFAULT_PARTITIONER };
  const partitioner = partitionerOf(choice.name);
  const minSize = smallestClient(options);
  const alpha = takesAlpha(choice.name) ? options.alpha! : undefined;
  const units = unitsOf(binOfSample, bins, groups);
  const fewest = partitioner.keepsClients ? 0 : fewestUnits(units, clients, minSize);
  const { clientOfUnit, order, ...draw } = partitioner.draw(
    units,
    { clients, seed, values: drawValues(choice, alpha) },
    ofUnits(data, units),
  );
  if (!partitioner.keepsClients && clientOfUnit.includes(-1))
    throw new Error(`the partitioner ${choice.name} gave unit ${clientOfUnit.indexOf(-1)} to no client`);
  const repaired = repairedUnits(units, { clientOfUnit, order, ...draw }, { clients, seed, fewest, repair });
  const { clientOfSample, repairs } = ofSamples(units, repaired, binOfSample);
  const assignment = { clients, bins, clientOfSample, binOfSample };
  verifyExactCover(assignment, minSize, { partial: partitioner.keepsClients, names: draw.clientNames });
  return {
    ...assignment,
    partitioner: completeChoice(choice),
    ...(alpha !== undefined && { alpha }),
    seed,
    minSize,
    repair,
    ...draw,
    repairs,
  };
}

/** What was intended for the clients of a partition; undefined of a partitioner that intends nothing. */
export function intentionOf(partition: Partition): Intention | undefined {
  const { target, proportions, sizes, alpha, repairs } = partition;
  if (!target && !sizes) return undefined;
  return {
    ...(target && { target }),
    ...(proportions && { proportions }),
    ...(sizes && { sizes }),
    ...(proportions && alpha !== undefined && { alpha }),
    repairs: repairs.length,
  };
}

/** The smallest client that is allowed: clients that exist already have no minimum unless one is asked for. */
function smallestClient({ minSize, partitioner }: Pick<PartitionOptions, "minSize" | "partitioner">): number {
  const { keepsClients } = partitionerOf(partitioner?.name ?? DEFAULT_PARTITIONER);
  return minSize ?? (keepsClients ? 1 : DEFAULT_MIN_SIZE);
}

/** Units that a client needs for the minimum number of samples, whichever it gets. */
const fewestUnits = ({ groups }: Units, clients: number, minSize: number): number =>
  groups ? fewestGroups(groups, clients, minSize) : minSize;

/** A draw after the repair of small clients. Without a target, repair keeps to the histograms that were drawn. */
function repairedUnits(
  units: Units,
  { clientOfUnit, order, target }: Draw,
  options: {
    readonly clients: number;
    readonly seed: number;
    readonly fewest: number;
    readonly repair: RepairRule;
  },
): ReturnType<typeof repairMinimumSize> {
  const { clients, seed, fewest, repair } = options;
  const sizes = new Int32Array(clients);
  for (const client of clientOfUnit) if (client >= 0) sizes[client]++;
  if (sizes.every((size) => size >= fewest)) return { clientOfSample: clientOfUnit, repairs: [] };
  const any = () => shuffle(stream(seed, "repair"), Int32Array.from(clientOfUnit.keys()));
  return repairMinimumSize(
    {
      clientOfSample: clientOfUnit,
      order: order ?? any(),
      target: target ?? histograms(units, clientOfUnit, clients),
    },
    units.binOfUnit,
    fewest,
    repair,
  );
}

/** Histogram of every client over bins; all bins alike for a client without units. */
function histograms({ bins, binOfUnit }: Units, clientOfUnit: Int32Array, clients: number): Float64Array[] {
  const counts = Array.from({ length: clients }, () => new Float64Array(bins));
  clientOfUnit.forEach((client, unit) => {
    counts[client][binOfUnit[unit]]++;
  });
  return counts.map((row) => {
    const total = row.reduce((a, b) => a + b, 0);
    return total > 0 ? row.map((count) => count / total) : row.fill(1 / bins);
  });
}

function ofSamples(
  { groups }: Units,
  { clientOfSample: clientOfUnit, repairs }: ReturnType<typeof repairMinimumSize>,
  binOfSample: Int32Array,
): Pick<Partition, "clientOfSample" | "repairs"> {
  if (!groups) return { clientOfSample: clientOfUnit, repairs };
  return {
    clientOfSample: groups.groupOfSample.map((group) => clientOfUnit[group]),
    repairs: repairsOfSamples(repairs, groups, binOfSample),
  };
}

/** Refuses options that no partition of this many samples can satisfy. It is called before any work on the data. */
export function checkOptions(samples: number, options: Omit<PartitionOptions, "bins">): void {
  if (!options) throw new OptionError("a partition takes options, such as { clients: 10, alpha: 0.1 }");
  const { clients, alpha, seed = 0, partitioner: choice = { name: DEFAULT_PARTITIONER } } = options;
  const partitioner = partitionerOf(choice.name);
  if (!takes(CLIENT_OPTIONS.clients, clients))
    throw new OptionError(`clients is a whole number from 2 on, not ${clients}`);
  if (!takesAlpha(choice.name)) {
    if (typeof alpha === "number")
      throw new OptionError(`the partitioner ${choice.name} takes no alpha: leave it out`);
  } else if (!takes(ALPHA, alpha))
    throw new OptionError(`alpha is a number from 1e-6 to 1e9, not ${alpha ?? "left out"}`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new OptionError(`seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}`);
  const minSize = smallestClient(options);
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
  partitioner.check?.({ clients, seed, values: drawValues(choice, alpha ?? undefined) }, samples);
}
