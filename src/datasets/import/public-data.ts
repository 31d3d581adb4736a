import type { Attributes } from "../../files/hdf5.js";

/**
 * A public dataset as it was downloaded, opened for import: samples that are read one at a time, in any order, so
 * that memory stays bounded whatever the size of the files.
 */
export interface PublicData {
  /** The task that it belongs to: `darcy`. */
  readonly task: string;
  /** The map from input to response, in words and symbols. */
  readonly equation: string;
  /** Whose data these are: `imported from PDEBench`. */
  readonly origin: string;
  /** Names of the files, archives or folders that they come from, for the record. */
  readonly sources: readonly string[];
  /** Paths of all files that are read. */
  readonly files: readonly string[];
  /** Samples to choose from. */
  readonly samples: number;
  readonly inputs: PublicFields;
  readonly responses: PublicFields;
  /** Axes by name, in the units of the source. */
  readonly coordinates: Readonly<Record<string, Float64Array>>;
  /** Numbers that belong to a sample, by name: `{ viscosity }` of a case. */
  readonly conditions?: readonly Condition[];
  /** Parameters, channel names and choices, for the record. */
  readonly attributes: Attributes;
  /** What the source calls a sample: `bc/case0012`. Default: its number. */
  nameOf?(sample: number): string;
  close(): void | Promise<void>;
}

/** Inputs or responses of a public dataset. */
export interface PublicFields {
  /** Shape of one sample. */
  readonly shape: readonly number[];
  /** What each axis is: the name of a coordinate, or any other word. */
  readonly axes: readonly string[];
  /** One sample, in C order. */
  read(sample: number): Promise<Float32Array>;
}

export interface Condition {
  readonly name: string;
  of(sample: number): number;
}
