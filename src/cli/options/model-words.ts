import { InvalidArgumentError } from "commander";
import type { OptionValue } from "../../options/option.js";

/** A model's `name`, and its options by name. */
export type ModelWords = Readonly<Record<string, OptionValue>>;

/** Reads `fno`, `width=16` or `initialiser=pytorch`, one word after another. */
export function modelWords(text: string, before: ModelWords = {}): ModelWords {
  const [, option, value] = /^([a-z_]+)=(\S+)$/.exec(text) ?? [];
  if (option !== undefined)
    return { ...before, [option]: Number.isNaN(Number(value)) ? value : Number(value) };
  if (before.name !== undefined || !/^[a-z][a-z0-9-]*$/.test(text))
    throw new InvalidArgumentError(`"${text}" is not an option of a model: write width=16`);
  return { ...before, name: text };
}
