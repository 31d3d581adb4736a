import { sourceOf } from "../../datasets/sources.js";
import { DEFAULT_MIN_SIZE } from "../../partition/partition-options.js";
import { partitionerOf } from "../../partition/partitioners.js";
import type { DataOrigin, SplitChoice } from "./lab.js";

/**
 * The smallest client where nobody asks for a size: the task's, or as many as clients can have with room to spare.
 * Undefined for a partitioner whose clients exist already.
 *
 * @param samples for training
 */
export function usualMinSize(
  origin: DataOrigin,
  samples: number,
  { clients, partitioner }: Pick<SplitChoice, "clients" | "partitioner">,
): number | undefined {
  if (partitionerOf(partitioner.name).keepsClients) return undefined;
  const usual = origin.kind === "task" ? sourceOf(origin.options.task).minSize : DEFAULT_MIN_SIZE;
  return Math.min(usual, Math.max(1, Math.floor(samples / (2 * clients))));
}
