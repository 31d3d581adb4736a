import { readFile } from "node:fs/promises";
import { FormatError, UserError } from "../../errors.js";
import { type PartitionFile, parsePartition } from "../../exchange/parse-partition.js";
import { fileError } from "../../files/disk.js";
import { READABLE_PARTITION_SCHEMAS } from "../../partition/assignment.js";
import type { Settings } from "../settings.js";

/** What the partition of a run says of it. */
export interface ExternalPartition {
  readonly clients: number;
  readonly bins: number;
  readonly alpha: number | null;
  readonly split: string;
  /** Training samples per client, and per client and bin. */
  readonly sizes: readonly number[];
  readonly counts: readonly (readonly number[])[];
  /** `d_sol`, `cv_n` and the others, as they were measured. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly settings: Settings;
  /** SHA-256 of the responses that were partitioned. */
  readonly dataSha256: string;
}

/**
 * Reads a partition file of this program.
 *
 * @param at the file and the line that name it
 * @param given its path there
 */
export async function readExternalPartition(
  path: string,
  at: string,
  given: string,
): Promise<ExternalPartition> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw new FormatError(`${at}: partition: ${(fileError(error, given, "read") as Error).message}`);
  });
  if (!READABLE_PARTITION_SCHEMAS.some((schema) => text.includes(`"${schema}"`)))
    throw new FormatError(`${at}: partition: ${given} is not a file of \`pde-dirichlet partition\``);
  const { options, sizes, counts, metrics, data } = parsed(text, at, given);
  const { clients, bins, partitioner, alpha = null } = options;
  return {
    clients,
    bins,
    alpha,
    split: splitWords(partitioner, alpha),
    sizes,
    counts,
    metrics: numbersOf(metrics),
    settings: { clients, bins, ...partitionerSettings(partitioner) },
    dataSha256: data.sha256,
  };
}

function parsed(text: string, at: string, given: string): PartitionFile & { readonly metrics?: unknown } {
  try {
    return parsePartition(text, given);
  } catch (error) {
    if (error instanceof UserError) throw new FormatError(`${at}: partition: ${error.message}`);
    throw error;
  }
}

function numbersOf(metrics: unknown): Record<string, number> {
  const entries = typeof metrics === "object" && metrics !== null ? Object.entries(metrics) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** The split as rows of our own runs have it, but for options that were the default: `alpha 0.1`, `shards 2`. */
function splitWords(partitioner: PartitionFile["options"]["partitioner"], alpha: number | null): string {
  const { partitioner: name, ...options } = partitionerSettings(partitioner);
  const others = Object.entries(options).filter(([option]) => option !== name);
  const leading = options[String(name)];
  return [
    ...(name === undefined ? [] : [leading === undefined ? name : `${name} ${leading}`]),
    ...others.map(([option, value]) => `${option.replaceAll("_", " ")} ${value}`),
    ...(alpha === null ? [] : [`alpha ${alpha}`]),
  ].join(", ");
}

/** The partitioner and its options, as rows of our own runs have them; the paper's goes without saying. */
function partitionerSettings(partitioner: PartitionFile["options"]["partitioner"]): Settings {
  if (!partitioner || partitioner.name === "dirichlet") return {};
  const { name, sha256: _, ...options } = partitioner;
  const scalars = Object.entries(options).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return { partitioner: name, ...(Object.fromEntries(scalars) as Settings) };
}
