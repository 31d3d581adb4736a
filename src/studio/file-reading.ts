import {
  ARRAY_CHOICES,
  AXIS_CHOICES,
  choiceProperty,
  FILE_CHOICES,
  type FileChoiceDeclaration,
  type FileChoices,
  LABEL_CHOICES,
} from "../datasets/files/file-choices.js";
import type { FileChoice } from "../datasets/files/file-data.js";
import { OptionError } from "../errors.js";
import { flagOf, type OptionValue } from "../options/option.js";

/** How a person says that a file is read: values of {@link READING_CHOICES} by their names. */
export type FileReading = Readonly<Record<string, OptionValue>>;

/** Everything that can be said of a file: the flags of `train`, and a word for all samples in one half. */
export const READING_CHOICES: FileChoices = {
  ...FILE_CHOICES,
  test: {
    kind: "text",
    value: "samples",
    help: "samples for tests: a number, a share such as 0.2, a range such as 800:1000, another file, or none (default: as the file has them, else the last fifth)",
  },
};

/** What `test` is where all samples are for training. */
export const NO_TEST = "none";

/** Flags that `show` has: it draws samples of arrays, and does not split them. */
const { group: _, ...SHOWN_ARRAYS } = ARRAY_CHOICES;
export const SHOW_CHOICES: FileChoices = { ...SHOWN_ARRAYS, ...AXIS_CHOICES, ...LABEL_CHOICES };
export const PARTITION_CHOICES: FileChoices = {
  ...ARRAY_CHOICES,
  channels: AXIS_CHOICES.channels,
  axes: AXIS_CHOICES.axes,
};

/** What is said of a file, as the library has it; `isWhole` where no sample is for testing. */
export function choiceOfReading(reading: FileReading): {
  readonly choice: FileChoice;
  readonly isWhole: boolean;
} {
  const choice: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(reading)) {
    const declared = READING_CHOICES[name];
    if (!declared) throw new OptionError(`a file is not read by "${name}": leave it out`);
    if (name === "test" && value === NO_TEST) continue;
    choice[choiceProperty(name)] = checkedValue(flagOf(name), declared, value);
  }
  return { choice: choice as FileChoice, isWhole: reading.test === NO_TEST };
}

function checkedValue(flag: string, { kind }: FileChoiceDeclaration, value: OptionValue): unknown {
  const text = String(value);
  if (kind === "names") return namesIn(text);
  if (kind === "whole") {
    if (/^[1-9]\d*$/.test(text)) return Number(text);
    throw new OptionError(`${flag} is a whole number from 1 on, not ${text}`);
  }
  if (typeof kind === "object" && !kind.includes(text))
    throw new OptionError(`${flag} is one of ${kind.join(", ")}, not ${text}`);
  return text;
}

/** Names with commas between them, as a list. */
export const namesIn = (text: string): string[] => text.split(",").map((one) => one.trim());

/** What is said of a file, as flags of a command that has some of the choices. */
export function readingFlags(reading: FileReading, choices: FileChoices): string[] {
  return Object.keys(choices).flatMap((name) =>
    reading[name] === undefined ? [] : [flagOf(name), String(reading[name])],
  );
}

/** Flags with their values as a reading: `["--inputs", "u[:, 0]"]`. */
export function readingFrom(flags: readonly string[]): FileReading {
  const pairs = Array.from({ length: Math.floor(flags.length / 2) }, (_, i) => [
    flags[2 * i].replace(/^--/, "").replaceAll("-", "_"),
    flags[2 * i + 1],
  ]);
  return Object.fromEntries(pairs);
}

/** What is said of a file, as the fields of a study's data. */
export function readingFields(reading: FileReading): Readonly<Record<string, unknown>> {
  const told = Object.entries(reading).filter(([name, value]) => !(name === "test" && value === NO_TEST));
  return Object.fromEntries(
    told.map(([name, value]) => [
      name,
      READING_CHOICES[name]?.kind === "names" ? namesIn(String(value)) : value,
    ]),
  );
}
