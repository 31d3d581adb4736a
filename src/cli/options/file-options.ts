import { type Command, Option } from "commander";
import {
  choiceProperty,
  FILE_CHOICES,
  type FileChoiceDeclaration,
  type FileChoices,
} from "../../datasets/files/file-choices.js";
import type { FileChoice } from "../../datasets/files/labelled-file.js";
import { flagOf } from "../../options/option.js";
import { wholeNumber } from "./arguments.js";

/** The argument of a command that reads data. */
export const DATA_ARGUMENT = [
  "<data...>",
  "HDF5, netCDF, MATLAB, PyTorch, NPZ or NPY file; several files, or a pattern in quotes, are one dataset",
] as const;

/** Files as the library takes them: one text, with commas between them. */
export const dataText = (given: readonly string[]): string => given.join(",");

/** How a file of data is read and called, as options of a command. */
export type FileOptions = Omit<FileChoice, "test">;

/** Names of the options, as a command has them. */
export const FILE_OPTIONS = Object.keys(FILE_CHOICES).map(choiceProperty) as readonly (keyof FileOptions)[];

/** Adds a flag for every declared choice; `help` replaces words where a command has its own default. */
export function addFileFlags(
  command: Command,
  choices: FileChoices,
  help: Readonly<Record<string, string>> = {},
): Command {
  for (const [name, choice] of Object.entries(choices))
    command.addOption(fileFlag(name, { ...choice, help: help[name] ?? choice.help }));
  return command;
}

function fileFlag(name: string, { kind, help, value = "name" }: FileChoiceDeclaration): Option {
  const option = new Option(`${flagOf(name)} <${value}>`, help);
  if (typeof kind === "object") return option.choices(kind);
  if (kind === "names") return option.argParser((text: string) => text.split(",").map((one) => one.trim()));
  return kind === "whole" ? option.argParser(wholeNumber) : option;
}
