import { type Command, InvalidArgumentError } from "commander";
import { OptionError } from "../../errors.js";
import { flagOf, type PropertiesOf, propertyOf } from "../../options/option.js";
import { BIN_OPTIONS } from "../../partition/partition-options.js";
import { askedEntry } from "./entry-help.js";

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly debug?: boolean;
  readonly quiet?: boolean;
}

/** Adds the options that every command has, and an example to its help. */
export function withCommonOptions(command: Command, ...examples: readonly string[]): Command {
  return command
    .option("--json", "print the result as JSON on standard output")
    .option("--quiet", "print no progress on standard error")
    .option("--debug", "print the stack trace of an error")
    .addHelpText("after", () =>
      askedEntry(command) ? "" : `\nExample:\n${examples.map((example) => `  $ ${example}\n`).join("")}`,
    );
}

/** A finite number. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError(`"${text}" is not a number.`);
  return value;
}

/** A whole number from 0 on. */
export function wholeNumber(text: string): number {
  const value = number(text);
  if (Number.isInteger(value) && value > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError(`"${text}" is too large: the largest is ${Number.MAX_SAFE_INTEGER}.`);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError(`"${text}" is not a whole number from 0 on.`);
  return value;
}

/** Collects the values of an option that may be repeated, or hold several values separated by commas. */
export function collected<T>(parse: (text: string) => T): (text: string, previous: T[] | undefined) => T[] {
  return (text, previous = []) => [...previous, ...text.split(",").map((part) => parse(part))];
}

/** Refuses a number of bins, a representation or a cost for bins that exist already. */
export function checkBinOptions(
  options: { readonly bins?: number | string; readonly binsFrom?: string } & Partial<
    PropertiesOf<typeof BIN_OPTIONS>
  >,
): void {
  if (options.binsFrom === undefined) return;
  if (options.bins !== undefined)
    throw new OptionError("--bins-from brings its own number of bins: leave out --bins");
  const stray = Object.keys(BIN_OPTIONS).find(
    (name) => options[propertyOf(name) as keyof PropertiesOf<typeof BIN_OPTIONS>] !== undefined,
  );
  if (stray !== undefined)
    throw new OptionError(`--bins-from brings its own representation and cost: leave out ${flagOf(stray)}`);
}

/** The values without repetitions, in their order. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
