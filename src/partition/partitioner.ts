import type { Options, OptionValue } from "../options/option.js";
import type { Units } from "./units.js";

/** A partitioner by its name, with the values of its own options: `{ name: "shards", shards: 2 }`. */
export interface PartitionerChoice {
  readonly name: string;
  readonly [option: string]: OptionValue;
}

/** What a partitioner asks to know of every sample, besides its solution bin. */
export interface Wanted {
  /** Values of this name: a PDE parameter, an array of the file, or `file` for the source file. */
  readonly attribute?: string;
  /** Clusters of the inputs, and how many. */
  readonly inputBins?: number;
  /** Clients that a file states. */
  readonly assignment?: AssignmentFile;
}

/** A file that says which client holds every sample, and where in the file it says so. */
export interface AssignmentFile {
  readonly file: string;
  readonly column?: string;
  readonly key?: string;
}

/** Values of every sample, as the data have them. */
export type AttributeValues = ArrayLike<number> | readonly string[];

/** Clients of samples that somebody else chose. */
export interface GivenClients {
  /** Client of every sample, counted from 0; -1 for a sample without a client. */
  readonly clientOfSample: Int32Array;
  readonly clientNames: readonly string[];
}

/** What is known of every sample, or of every unit: the answers to {@link Wanted}. */
export interface Known {
  readonly attribute?: AttributeValues;
  readonly inputBins?: Int32Array;
  readonly clients?: GivenClients;
}

/** How a partitioner draws: clients, seed, and the values of its own options with defaults filled in. */
export interface DrawOptions {
  readonly clients: number;
  readonly seed: number;
  readonly values: Readonly<Record<string, OptionValue>>;
}

/** What a partitioner returns, before any repair. */
export interface Draw {
  /** Client of every unit; -1 for a unit that no client gets, which only clients that exist already may leave out. */
  readonly clientOfUnit: Int32Array;
  /** All units in a random order: repair moves the last ones of a client first. By default an order of its own. */
  readonly order?: Int32Array;
  /** Histogram over solution bins that was intended for every client, `target[client][bin]`, each summing to 1. */
  readonly target?: readonly Float64Array[];
  /** Intended share of every bin for every client, `proportions[client][bin]`; each bin's shares sum to 1. */
  readonly proportions?: readonly Float64Array[];
  /** Intended number of samples of every client. */
  readonly sizes?: ArrayLike<number>;
  /** Names of the clients, where they have some. */
  readonly clientNames?: readonly string[];
  /** What the partitioner decided where options left a choice, one sentence each. */
  readonly notes?: readonly string[];
}

/** What was intended for the clients. Diagnostics compare it with the result. */
export interface Intention {
  readonly target?: readonly Float64Array[];
  readonly proportions?: readonly Float64Array[];
  readonly sizes?: ArrayLike<number>;
  /** Dirichlet concentration, if the proportions were drawn with one. */
  readonly alpha?: number;
  /** Samples that repair moved. */
  readonly repairs: number;
}

/**
 * A rule that assigns samples to clients. Entries are listed in `PARTITIONERS`. An entry draws; grouping, repair, the
 * minimum size, verification and measurement are the same for all.
 */
export interface Partitioner {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  /** Its own options. One that takes a Dirichlet concentration declares `alpha`. */
  readonly options: Options;
  /** Refuses values of its options that cannot work, before any work on the data. */
  check?(options: DrawOptions, samples: number): void;
  /** What it asks to know of every sample. */
  wants?(values: DrawOptions["values"]): Wanted;
  /**
   * The number of clients, where options or data determine it.
   *
   * @param asked number of clients that the user asked for; undefined where nobody did
   */
  clientsOf?(known: Known, values: DrawOptions["values"], asked: number | undefined): number | undefined;
  /** True for clients that exist already: nothing is moved between them, and one below the minimum size is refused. */
  readonly keepsClients?: boolean;
  /** Assigns units to clients. The same units and options give the same clients. */
  draw(units: Units, options: DrawOptions, known: Known): Draw;
}
