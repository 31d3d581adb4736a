import type { PartitionRow } from "./claim.js";

/**
 * Whether the rule `closest` repaired a partition. Algorithm 1 of the paper names no rule, and its numbers fit `largest`
 * better. A survey says its rule. A table of runs in the paper's settings has the rule of the bundled studies, which was
 * `closest` in the versions whose tables lack `n_min`.
 */
export function repairedByClosest({ repair, n_min }: Pick<PartitionRow, "repair" | "n_min">): boolean {
  return repair === undefined ? !Number.isFinite(n_min) : repair === "closest";
}
