import { FormatError } from "../errors.js";
import type { ElementType, RowArray } from "./ndarray.js";

/** Names that one message shows at most. */
const MOST_NAMES = 10;

/** An array as a message names it. */
export interface NamedShape {
  readonly name: string;
  /** Undefined where it is not known, and where the array cannot be read. */
  readonly shape?: readonly number[];
  readonly dtype?: ElementType;
  /** Why it cannot be read, to follow its name: "holds complex numbers: ...", with the way out. */
  readonly problem?: string;
  /** Number of samples, where each has an array of a length of its own: such cannot be read as one. */
  readonly ragged?: number;
  /** Number of strings, where it is a list of such: no numbers, but names of clients. */
  readonly strings?: number;
}

/** A file of named arrays. */
export interface NamedArrays {
  /** What the file holds; what cannot be read has a `problem`. */
  list(): readonly NamedShape[];
  /** An array by its name; an unknown one is a `FormatError` that lists those there are. */
  array(name: string): Promise<RowArray>;
}

/** The error about an array that a file does not have, or cannot give. */
export function refusedArray(file: string, name: string, arrays: readonly NamedShape[]): FormatError {
  const problem = arrays.find((one) => one.name === name)?.problem;
  if (problem !== undefined) return new FormatError(`${file}:${name} ${problem}`);
  return new FormatError(`${file} has no array "${name}"; it has ${nameList(arrays)}`);
}

/** Names for a message, with shapes where they are known: `/u (400 x 64 x 64), /x (64)`. The rest is counted. */
export function nameList(arrays: readonly (string | NamedShape)[], none = "none"): string {
  const shown = arrays.slice(0, MOST_NAMES).map((one) => {
    const { name, shape } = typeof one === "string" ? { name: one } : one;
    return shape === undefined ? name : `${name} (${shape.join(" x ") || "one number"})`;
  });
  const rest = arrays.length - shown.length;
  if (rest > 0) shown.push(`... and ${rest} more`);
  return shown.join(", ") || none;
}
