import { type Command, Option as Flag, InvalidArgumentError } from "commander";
import {
  defaultOf,
  expectedWords,
  flagOf,
  type Option,
  type Options,
  type RealNumber,
  rangeWords,
  takes,
  type WholeNumber,
} from "../../options/option.js";
import { collected, number, wholeNumber } from "./arguments.js";

const ARGUMENTS = { whole: " <number>", number: " <number>", choice: " <name>", flag: "", text: " <text>" };

/** Adds a flag for every declared option. A value is undefined unless it is given: its owner knows the default. */
export function addOptionFlags(command: Command, options: Options): Command {
  for (const [name, option] of Object.entries(options)) command.addOption(optionFlag(name, option));
  return command;
}

/** Adds a flag that takes several values of an option with a number. Its owner checks the values. */
export function addListFlag(command: Command, name: string, option: WholeNumber | RealNumber): Command {
  const parse = option.kind === "whole" ? wholeNumber : number;
  return command.option(`${flagOf(name)} <numbers...>`, helpOf(option), collected(parse));
}

function helpOf(option: Option): string {
  const usual = defaultOf(option);
  return usual === undefined ? option.help : `${option.help} (default: ${usual})`;
}

/** The flag of a declared option. */
export function optionFlag(name: string, option: Option): Flag {
  const added = new Flag(`${flagOf(name)}${ARGUMENTS[option.kind]}`, helpOf(option));
  if (option.kind === "choice") return added.choices(option.values);
  if (option.kind === "flag" || option.kind === "text") return added;
  const parse = option.kind === "whole" ? wholeNumber : number;
  return added.argParser((text: string) => {
    const range = rangeWords(name, option, text, (own, value) => `${flagOf(own)} ${value}`);
    if (range !== undefined) throw new InvalidArgumentError(`It is ${expectedWords(option)}: ${range}.`);
    const value = parse(text);
    if (!takes(option, value)) throw new InvalidArgumentError(`It is ${expectedWords(option)}.`);
    return value;
  });
}
