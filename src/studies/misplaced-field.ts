import { FEDERATION_OPTIONS } from "../federation/federation-options.js";
import { STRATEGIES } from "../federation/strategies/strategies.js";
import { PARTITION_OPTIONS } from "../partition/partition-options.js";
import type { FieldPath } from "./read-specification.js";

const FEDERATION: readonly string[] = [...Object.keys(FEDERATION_OPTIONS), "strategy", "checkpoints"];
const PARTITION: readonly string[] = [...Object.keys(PARTITION_OPTIONS), "partitioner", "target_distance"];

/** Where a field belongs that stands where there is none of this name; undefined for one that is nowhere. */
export function rightPlace(path: FieldPath): string | undefined {
  const name = String(path[path.length - 1]);
  const owners = Object.keys(STRATEGIES).filter((strategy) =>
    Object.hasOwn(STRATEGIES[strategy].options, name),
  );
  if (owners.length > 0 && (path.length === 1 || path[0] === "federation"))
    return `it is an option of ${owners.join(", ")}, as in federation.strategy={ name: ${owners[0]}, ${name}: ... }`;
  const sections = path.length === 1 ? { federation: FEDERATION, partition: PARTITION } : {};
  const section = Object.entries(sections).find(([, names]) => names.includes(name));
  return section && `it is a field of ${section[0]}`;
}
