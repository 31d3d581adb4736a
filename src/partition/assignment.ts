/**
 * The rules by which a Dirichlet partition is drawn. Version 1 moved samples in the order of the file when it repaired a
 * client; version 2 moves them in the seeded order of the allocation.
 */
export const PARTITION_RULES = "pde-dirichlet/partition/2";
/** Rules of which records exist. */
export const KNOWN_PARTITION_RULES = ["pde-dirichlet/partition/1", PARTITION_RULES] as const;

/** The name and version of the partition file's layout. Version 3 names the partitioner; its draws are those of version 2. */
export const PARTITION_SCHEMA = "pde-dirichlet/partition/3";
/** Versions that can be read; in earlier ones the partitioner is the Dirichlet one, and the rules have the same version. */
export const READABLE_PARTITION_SCHEMAS = [...KNOWN_PARTITION_RULES, PARTITION_SCHEMA] as const;

/** One move of the minimum-size repair: `sample` of `bin` went from one client to another. */
export interface Repair {
  readonly sample: number;
  readonly bin: number;
  readonly from: number;
  readonly to: number;
}

/** The client and the bin of every sample: all that other tools need from a partition. */
export interface Assignment {
  readonly clients: number;
  readonly bins: number;
  /** Client of every sample, 0 to clients - 1; -1 for a sample without a client, as in some splits of other tools. */
  readonly clientOfSample: Int32Array;
  /** Solution bin of every sample, 0 to bins - 1. */
  readonly binOfSample: Int32Array;
}

/** Number of samples per client and bin, clients x bins. */
export function countTable(assignment: Assignment): number[][] {
  const counts = Array.from({ length: assignment.clients }, () => new Array<number>(assignment.bins).fill(0));
  assignment.clientOfSample.forEach((client, sample) => {
    if (client >= 0) counts[client][assignment.binOfSample[sample]]++;
  });
  return counts;
}

/** Sample indices of every client, ascending. */
export function indicesOfClients(assignment: Assignment): number[][] {
  const indices = Array.from({ length: assignment.clients }, () => [] as number[]);
  assignment.clientOfSample.forEach((client, sample) => {
    if (client >= 0) indices[client].push(sample);
  });
  return indices;
}
