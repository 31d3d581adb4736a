import { flagOf, type Options, type OptionValue } from "../../options/option.js";
import { commandLine } from "../../report/command-line.js";
import type { DataOrigin } from "../lab/lab.js";

/** Flags of values that differ from their defaults: `--clients 20 --repair largest`. */
export function flagsOf(
  options: Options,
  values: Readonly<Record<string, OptionValue | undefined>>,
): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === options[name]?.default ? [] : flag(name, value),
  );
}

/** One flag with its value; a switch has none. */
export const flag = (name: string, value: OptionValue): string[] =>
  value === true ? [flagOf(name)] : [flagOf(name), String(value)];

/** The JSON file that a split of these data is saved as. */
export const splitFileName = (origin: DataOrigin): string =>
  `${dataWords(origin)
    .file.replace(/^.*\//, "")
    .replace(/\.\w+$/, "")}-split.json`;

/** A file with the data of the page, and the command that makes it where it does not exist yet. */
export function dataWords(origin: DataOrigin): {
  readonly file: string;
  readonly commands: readonly string[];
} {
  if (origin.kind === "file") return { file: origin.name, commands: [] };
  const { task, seed, train, test, parameters = {} } = origin.options;
  const file = `${task}.h5`;
  const words = [
    ...["generate", task],
    ...(seed === undefined ? [] : ["--seed", String(seed)]),
    ...(train === undefined ? [] : ["--train", String(train)]),
    ...(test === undefined ? [] : ["--test", String(test)]),
    ...parameterFlags(parameters),
    ...["--out", file],
  ];
  return { file, commands: [commandLine(words)] };
}

/** `reynoldsMin` as it is written on the command line: `--reynolds-min`. */
export function parameterFlags(parameters: Readonly<Record<string, OptionValue | undefined>>): string[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, String(value)],
  );
}
