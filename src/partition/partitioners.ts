import { OptionError } from "../errors.js";
import { checkValues, type GivenValues, withDefaults } from "../options/option.js";
import type { DrawOptions, Partitioner, PartitionerChoice } from "./partitioner.js";
import { by } from "./partitioners/by.js";
import { clientDirichlet } from "./partitioners/client-dirichlet.js";
import { dirichlet } from "./partitioners/dirichlet.js";
import { file } from "./partitioners/file.js";
import { iid } from "./partitioners/iid.js";
import { inputBins } from "./partitioners/input-bins.js";
import { pathological } from "./partitioners/pathological.js";
import { shards } from "./partitioners/shards.js";
import { sizes } from "./partitioners/sizes.js";

/** All partitioners, keyed by the name under which a partition is asked for and recorded. */
export const PARTITIONERS = {
  dirichlet,
  iid,
  sizes,
  shards,
  pathological,
  "client-dirichlet": clientDirichlet,
  by,
  "input-bins": inputBins,
  file,
} as const satisfies Readonly<Record<string, Partitioner>>;

/** Name of a partitioner. */
export type PartitionerName = keyof typeof PARTITIONERS;

export const PARTITIONER_NAMES = Object.keys(PARTITIONERS) as readonly PartitionerName[];

/** The paper's. Records of its partitions do not name it. */
export const DEFAULT_PARTITIONER = "dirichlet" satisfies PartitionerName;

/** The partitioner of this name. */
export function partitionerOf(name: string): Partitioner {
  if (!Object.hasOwn(PARTITIONERS, name))
    throw new OptionError(`partitioner is one of ${PARTITIONER_NAMES.join(", ")}, not "${name}"`);
  return PARTITIONERS[name as PartitionerName];
}

/** Whether a partitioner takes a Dirichlet concentration. */
export const takesAlpha = (name: string): boolean => "alpha" in partitionerOf(name).options;

/** A partitioner with those of its options that were given; refuses what it does not have. Alpha stands apart. */
export function partitionerChoice({
  name,
  ...given
}: { readonly name: string } & GivenValues): PartitionerChoice {
  const { alpha: _, ...options } = partitionerOf(name).options as Readonly<Record<string, never>>;
  checkValues(options, given, name);
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  return { name, ...Object.fromEntries(values) } as PartitionerChoice;
}

/** A partitioner with the values of all its options but alpha, as records state it. */
export function completeChoice({ name, ...given }: PartitionerChoice): PartitionerChoice {
  const { alpha: _, ...values } = drawValues({ name, ...given });
  return { name, ...values };
}

/** The values of a partitioner's options with its defaults filled in. */
export function drawValues({ name, ...given }: PartitionerChoice, alpha?: number): DrawOptions["values"] {
  const { options } = partitionerOf(name);
  return withDefaults(options, { ...given, ...("alpha" in options && { alpha }) });
}
