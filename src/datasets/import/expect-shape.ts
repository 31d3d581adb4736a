import { FormatError } from "../../errors.js";

/** Refuses an array of another shape. Numbers are lengths that must be met, words name axes of any length but 0. */
export function expectShape(
  name: string,
  found: readonly number[],
  expected: readonly (number | string)[],
): void {
  const fits = (length: number, axis: number) =>
    typeof expected[axis] === "number" ? length === expected[axis] : length > 0;
  if (found.length !== expected.length || !found.every(fits))
    throw new FormatError(`${name}: expected an array (${expected.join(", ")}), found (${found.join(", ")})`);
}
