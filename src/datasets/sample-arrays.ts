import type { Fields } from "./fields.js";

/** An array with a row for each sample, beside inputs and responses. */
export interface SampleArray {
  readonly name: string;
  readonly fields: Fields;
}

/** Arrays with a row for each sample that a user may name. */
export interface SampleArrays {
  readonly names: readonly string[];
  /** The arrays that a text names: `cl`, `cl, cd`, `pod[:, :3]`. */
  open(text: string): Promise<readonly SampleArray[]>;
}
