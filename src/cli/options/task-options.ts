import { type Command, Option as Flag } from "commander";
import { SOURCE_NAMES, SOURCES } from "../../datasets/sources.js";
import type { Option } from "../../options/option.js";
import { number, wholeNumber } from "./arguments.js";

/** Parameters of data sources as options of a command, by their recorded names. */
export type TaskOptions = Readonly<Record<string, unknown>>;

/** A flag for every parameter of the data sources; a parameter that several of them have is one flag. */
export function sourceParameterFlags(): readonly Flag[] {
  return parameterNames().map((name) => {
    const owners = SOURCE_NAMES.filter((source) => Object.hasOwn(SOURCES[source].parameters, name));
    const declared = owners.map((source) => SOURCES[source].parameters[name]);
    const help = [...new Set(declared.map((option) => option.help))].join("; ");
    const flag = new Flag(
      `${parameterFlag(name)} <${valueName(declared[0])}>`,
      `${help}, for ${ownersInWords(owners, declared)}`,
    );
    return withParser(flag, declared[0]);
  });
}

export function withTaskOptions(command: Command): Command {
  for (const flag of sourceParameterFlags()) command.addOption(flag);
  return command;
}

/** The parameters that were given. */
export function taskParameters(options: object): Record<string, number | string | undefined> {
  const given = options as Readonly<Record<string, number | string | undefined>>;
  return Object.fromEntries(parameterNames().map((name) => [name, given[name]]));
}

function parameterNames(): readonly string[] {
  return [...new Set(SOURCE_NAMES.flatMap((source) => Object.keys(SOURCES[source].parameters)))];
}

/** `reynoldsMin` as it is written on the command line: `--reynolds-min`. */
export const parameterFlag = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const valueName = ({ kind }: Option): string => (kind === "choice" ? "name" : "number");

function withParser(flag: Flag, option: Option): Flag {
  if (option.kind === "choice") return flag.choices(option.values);
  return option.kind === "flag" ? flag : flag.argParser(option.kind === "whole" ? wholeNumber : number);
}

/** `darcy, dam-break (default: 128) and cylinder (default: 64)`. */
function ownersInWords(owners: readonly string[], declared: readonly Option[]): string {
  const defaults = declared.map(({ default: value }) => String(value));
  const groups = [...new Set(defaults)].map((value) => {
    const names = owners.filter((_, i) => defaults[i] === value);
    return `${names.join(", ")} (default: ${value})`;
  });
  return groups.join(" and ");
}
