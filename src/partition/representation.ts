import type { AxisKind } from "../datasets/dataset.js";
import type { Fields } from "../datasets/fields.js";
import type { SampleArray } from "../datasets/sample-arrays.js";
import type { WholeNumber } from "../options/option.js";

/** How descriptors are scaled against each other before bins are fitted to them. */
export type Standardisation = "arrays" | "columns" | "none";
export const STANDARDISATIONS: readonly Standardisation[] = ["arrays", "columns", "none"];

/** What a representation is made from. */
export interface RepresentedData {
  readonly responses: Fields;
  /** Kinds of the axes of a response, in their order; undefined where nobody knows: all are space. */
  readonly axes?: readonly AxisKind[];
  /** The arrays that were named, for a representation that reads those. */
  readonly arrays?: readonly SampleArray[];
  /** The number behind the colon. */
  readonly parameter?: number;
  readonly standardise?: Standardisation;
  readonly onProgress?: (fraction: number) => void;
}

export interface NumberArray {
  readonly values: Float64Array;
  readonly shape: readonly number[];
}

/** What a representation must keep to treat other samples alike, by name. */
export type KeptArrays = Readonly<Record<string, NumberArray>>;

/** A representation as it was fitted to data: part of every bin model that is not of the responses themselves. */
export interface FittedRepresentation {
  /** As the user writes it: `pca:20`, `spectrum`, `cl, cd`. */
  readonly name: string;
  readonly standardise?: Standardisation;
  /** Shape of one response, and the kinds of its axes as they were taken. */
  readonly responseShape: readonly number[];
  readonly axes?: readonly AxisKind[];
  readonly arrays: KeptArrays;
}

/**
 * What bins are fitted to in place of the responses: from a row of each sample to another row. Entries are listed in
 * `REPRESENTATIONS`. Rows are made as they are read, so that data may exceed the memory.
 */
export interface Representation {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  /** What the rows are called in messages. */
  readonly rowsCalled: string;
  /** The number behind a colon, for a representation that takes one: 20 of `pca:20`. */
  readonly parameter?: WholeNumber;
  /** Whether rows come from other arrays, which the user names in place of the entry. */
  readonly readsArrays?: boolean;
  /** Whether it asks which axes of a response are space. */
  readonly needsAxes?: boolean;
  /** Finds what it must keep, in passes over the data; nothing, for most. */
  fit?(data: RepresentedData): Promise<KeptArrays>;
  /** The rows, with what was kept. */
  rows(data: RepresentedData, kept: KeptArrays): Fields;
  /** What was taken where the data left a choice, one sentence each. */
  notes?(data: RepresentedData, kept: KeptArrays): readonly string[];
}
