import { type Command, Option as Flag, InvalidArgumentError } from "commander";
import { defaultOf, expectedWords, flagOf, type Option, type Options, takes } from "../options/option.js";
import { number, wholeNumber } from "./arguments.js";

const ARGUMENTS = { whole: " <number>", number: " <number>", choice: " <name>", flag: "" };

/** Adds a flag for every declared option. A value is undefined unless it is given: its owner knows the default. */
export function addOptionFlags(command: Command, options: Options): Command {
  for (const [name, option] of Object.entries(options)) command.addOption(optionFlag(name, option));
  return command;
}

function optionFlag(name: string, option: Option): Flag {
  const usual = defaultOf(option);
  const help = usual === undefined ? option.help : `${option.help} (default: ${usual})`;
  const added = new Flag(`${flagOf(name)}${ARGUMENTS[option.kind]}`, help);
  if (option.kind === "choice") return added.choices(option.values);
  if (option.kind === "flag") return added;
  const parse = option.kind === "whole" ? wholeNumber : number;
  return added.argParser((text: string) => {
    const value = parse(text);
    if (!takes(option, value)) throw new InvalidArgumentError(`It is ${expectedWords(option)}.`);
    return value;
  });
}
