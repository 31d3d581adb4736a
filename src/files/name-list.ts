import type { ElementType } from "./ndarray.js";

/** Names that one message shows at most. */
const MOST_NAMES = 10;

/** An array as a message names it. */
export interface NamedShape {
  readonly name: string;
  readonly shape?: readonly number[];
  readonly dtype?: ElementType;
  /** Why the array cannot be read. */
  readonly problem?: string;
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

/** How many of so many arrays are worth opening for their shapes. */
export function shownNames(names: readonly string[]): readonly string[] {
  return names.slice(0, MOST_NAMES);
}
