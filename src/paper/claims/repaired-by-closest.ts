import type { PartitionRow } from "./claim.js";

/**
 * Whether the rule `closest` repaired a partition. Algorithm 1 of the paper names no rule, and its numbers fit `largest`
 * better.
 */
export function repairedByClosest({ repair }: Pick<PartitionRow, "repair">): boolean {
  return repair === "closest";
}
