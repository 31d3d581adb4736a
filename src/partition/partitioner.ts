import type { Options } from "../options/option.js";
import type { Assignment, Repair } from "./assignment.js";
import type { RepairRule } from "./repair.js";

/** What a partitioner may look at. */
export interface PartitionerData {
  /** Number of solution bins. */
  readonly bins: number;
  /** Solution bin of every sample. */
  readonly binOfSample: Int32Array;
  /** Values that every sample has under a name, such as a PDE parameter or the file that it comes from. */
  readonly attributes?: Readonly<Record<string, ArrayLike<number | string>>>;
  /** Group of every sample, counted from 0; samples of a group go to one client. */
  readonly groups?: Int32Array;
}

/** Options of every partition. A partitioner adds its own. */
export interface CommonPartitionOptions {
  /** Number of clients K, at least 2. */
  readonly clients: number;
  /** Seed of the draws; default 0. */
  readonly seed?: number;
  /** Minimum number of samples per client; default 16, as in the paper. */
  readonly minSize?: number;
  /** Which client gives samples to a client below `minSize`; default `closest`. */
  readonly repair?: RepairRule;
}

/** What every partitioner returns: the assignment, the options that gave it, and the samples that repair moved. */
export interface PartitionedSamples extends Assignment {
  readonly seed: number;
  readonly minSize: number;
  readonly repair: RepairRule;
  readonly repairs: readonly Repair[];
}

/** What a partitioner intended for the clients. Diagnostics compare it with the result. */
export interface Intention {
  /** Histogram over bins intended for every client, `target[client][bin]`, each summing to 1. */
  readonly target: readonly Float64Array[];
  /** Intended share of every bin for every client, `proportions[client][bin]`; each bin's shares sum to 1. */
  readonly proportions?: readonly Float64Array[];
  /** Dirichlet concentration, if the proportions were drawn with one. */
  readonly alpha?: number;
  /** Samples that repair moved. */
  readonly repairs: number;
}

/** A rule that assigns samples to clients. Entries are listed in `PARTITIONERS`. */
export interface Partitioner<
  O extends CommonPartitionOptions = CommonPartitionOptions,
  P extends PartitionedSamples = PartitionedSamples,
> {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  /** Its own options, besides those of every partition. */
  readonly options: Options;
  /** Refuses options that no partition of this many samples can satisfy. It is called before any work on the data. */
  check(samples: number, options: O): void;
  /** Assigns every sample to a client. The same data and options give the same clients. */
  assign(data: PartitionerData, options: O): P;
  /** What was intended for the clients of a partition. Absent from partitioners that cannot say. */
  intended?(partition: P): Intention;
}
