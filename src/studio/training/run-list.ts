import { OptionError } from "../../errors.js";
import { expectedWords, type OptionValue, takes } from "../../options/option.js";
import { runField } from "./run-fields.js";

/** What a run has that differs from the settings of the page, by name: `{ strategy: "fedprox", mu: 0.1 }`. */
export type RunChanges = Readonly<Record<string, OptionValue>>;

/** Runs that one chart can tell apart. */
export const MOST_RUNS = 6;

/** A run that has the settings of the page. */
const AS_SET = "as-set";

/**
 * Runs that are trained side by side, from a text such as `alpha=0.1;strategy=fedprox,mu=0.1`: semicolons between runs,
 * commas between what a run changes.
 */
export function parseRuns(text: string): readonly RunChanges[] {
  const parts = text.split(";").map((part) => part.trim());
  return parts.map((part, i) => (part === AS_SET || part === "" ? {} : parseRun(part, `run ${i + 1}`)));
}

/** Refuses runs that no chart could tell apart. */
export function checkRuns(runs: readonly RunChanges[]): void {
  if (runs.length > MOST_RUNS)
    throw new OptionError(
      `${runs.length} runs are too many to tell apart: ${MOST_RUNS} fit, train others later`,
    );
  const texts = runs.map((run) => JSON.stringify(Object.entries(run).sort(([a], [b]) => (a < b ? -1 : 1))));
  const twice = texts.findIndex((one, i) => texts.indexOf(one) < i);
  if (twice >= 0)
    throw new OptionError(
      `runs ${texts.indexOf(texts[twice]) + 1} and ${twice + 1} are the same: change or remove one`,
    );
}

/** The text that {@link parseRuns} reads as these runs. */
export const formatRuns = (runs: readonly RunChanges[]): string =>
  runs
    .map(
      (run) =>
        Object.entries(run)
          .map(([name, value]) => `${name}=${quoted(String(value))}`)
          .join(",") || AS_SET,
    )
    .join(";");

function parseRun(text: string, whose: string): RunChanges {
  const changes: Record<string, OptionValue> = {};
  for (const word of text.split(",")) {
    const [, name, written] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(word) ?? [];
    if (name === undefined)
      throw new OptionError(
        `${whose}: "${word.trim()}" says nothing; write alpha=0.1 or strategy=fedprox,mu=0.1`,
      );
    if (Object.hasOwn(changes, name)) throw new OptionError(`${whose} says ${name} twice: leave one out`);
    changes[name] = readField(name, unquoted(written), whose);
  }
  return changes;
}

/** A value of a setting of runs from its text. */
export function readField(name: string, written: string, whose: string): OptionValue {
  const option = runField(name);
  if (!option)
    throw new OptionError(
      `${whose}: runs have no setting "${name}"; they have alpha, strategy, local_steps, batch, participation and others`,
    );
  const value = typedValue(option.kind, written.trim());
  if (!takes(option, value))
    throw new OptionError(`${whose}: ${name} is ${expectedWords(option)}, not "${written.trim()}"`);
  return value;
}

function typedValue(kind: string, written: string): OptionValue {
  if (kind === "flag") return written === "true" ? true : written === "false" ? false : written;
  if (kind !== "whole" && kind !== "number") return written;
  return written === "" ? NaN : Number(written);
}

/** Marks that part runs, and the one that quotes them, as an address writes them. */
const quoted = (value: string): string => value.replace(/[%;,]/g, encodeURIComponent);
const unquoted = (written: string): string =>
  written.replace(/%(25|3B|2C)/gi, (mark) => decodeURIComponent(mark));
