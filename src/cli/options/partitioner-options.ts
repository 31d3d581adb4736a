import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { PartitionerChoice } from "../../partition/partitioner.js";
import { DEFAULT_PARTITIONER, PARTITIONERS, partitionerChoice } from "../../partition/partitioners.js";
import {
  addEntryFlags,
  addEntryName,
  addEntryOptions,
  type EntryChoice,
  entryFlags,
  givenEntry,
} from "./entry-options.js";

/** Every command declares the concentration itself. */
const CHOICE: EntryChoice = {
  kind: "partitioner",
  kinds: "partitioners",
  help: "how samples are split",
  entries: PARTITIONERS,
  flags: entryFlags(PARTITIONERS, ["alpha"]),
  usual: DEFAULT_PARTITIONER,
  isImplied: true,
  field: "partition.partitioner",
  page: fileURLToPath(new URL("../../../docs/partitions.md", import.meta.url)),
};

/** Adds `--partitioner` and the options of every partitioner, but those that the command declares itself. */
export const addPartitionerFlags = (command: Command, declared?: readonly string[]): Command =>
  addEntryFlags(command, CHOICE, declared);

/** Adds `--partitioner` alone, so that a help can have the options further down. */
export const addPartitionerName = (command: Command): Command => addEntryName(command, CHOICE);

export const addPartitionerOptions = (command: Command, declared?: readonly string[]): Command =>
  addEntryOptions(command, CHOICE, declared);

/** The partitioner that the options name or imply; undefined for the paper's. */
export function givenPartitioner(given: Readonly<Record<string, unknown>>): PartitionerChoice | undefined {
  const entry = givenEntry(CHOICE, given);
  return entry && partitionerChoice(entry);
}
