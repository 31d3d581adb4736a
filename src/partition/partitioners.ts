import { dirichlet } from "./dirichlet.js";
import type { Partitioner } from "./partitioner.js";

/** All partitioners, keyed by the name under which a partition is asked for and recorded. */
export const PARTITIONERS = {
  dirichlet,
} as const satisfies Record<string, Partitioner>;

/** Name of a partitioner. */
export type PartitionerName = keyof typeof PARTITIONERS;
