import { type Command, Option } from "commander";
import { OptionError } from "../../errors.js";
import { flagOf, propertyOf } from "../../options/option.js";
import type { PartitionerChoice } from "../../partition/partitioner.js";
import {
  DEFAULT_PARTITIONER,
  PARTITIONER_NAMES,
  PARTITIONERS,
  partitionerChoice,
} from "../../partition/partitioners.js";
import { entryFlags, givenValues, impliedEntry } from "./entry-options.js";
import { optionFlag } from "./option-flags.js";

/** Options of all partitioners but the concentration, which every command declares itself. */
const FLAGS = entryFlags(PARTITIONERS, ["alpha"]);

/** Adds `--partitioner` and the options of every partitioner, but those that the command declares itself. */
export function addPartitionerFlags(command: Command, declared: readonly string[] = []): Command {
  command.addOption(
    new Option("--partitioner <name>", `how samples are split (default: ${DEFAULT_PARTITIONER})`).choices(
      PARTITIONER_NAMES,
    ),
  );
  const added = Object.entries(FLAGS).filter(([name]) => !declared.includes(name));
  for (const [name, option] of added)
    command.addOption(optionFlag(name, option).helpGroup("Options of single partitioners:"));
  return command.addHelpText(
    "after",
    `\nPartitioners:\n${Object.entries(PARTITIONERS)
      .map(([name, { describe }]) => `  ${name.padEnd(17)} ${describe}\n`)
      .join("")}`,
  );
}

/** The partitioner that the options name or imply; undefined for the paper's. */
export function givenPartitioner(
  given: { readonly partitioner?: string } & Readonly<Record<string, unknown>>,
): PartitionerChoice | undefined {
  const named = given.partitioner ?? impliedEntry(PARTITIONERS, FLAGS, given);
  if (named === undefined) {
    const stray = Object.keys(FLAGS).find((option) => given[propertyOf(option)] !== undefined);
    if (stray !== undefined)
      throw new OptionError(
        `${flagOf(stray)} is an option of several partitioners: say which with --partitioner`,
      );
    return undefined;
  }
  const values = givenValues(PARTITIONERS, FLAGS, named, given);
  return named === DEFAULT_PARTITIONER ? undefined : partitionerChoice({ name: named, ...values });
}
