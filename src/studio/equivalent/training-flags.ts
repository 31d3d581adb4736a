import { OPTIMIZERS } from "../../federation/optimizer-options.js";
import {
  completeOptions,
  type GivenRunOptions,
  RUN_OPTIONS,
  type RunOptions,
} from "../../federation/run-options.js";
import { DEFAULT_STRATEGY, STRATEGIES } from "../../federation/strategies/strategies.js";
import type { GivenValues, Options, OptionValue } from "../../options/option.js";
import { propertyOf } from "../../options/option.js";
import { DEFAULT_PARTITIONER, PARTITIONERS } from "../../partition/partitioners.js";
import { flag, flagsOf } from "./words.js";

/** Options of a run that are not what the command has without them, by recorded name. */
export function toldOptions(given: GivenRunOptions): Readonly<Record<string, OptionValue>> {
  const told = Object.keys(RUN_OPTIONS).flatMap((name) => {
    const property = propertyOf(name) as keyof GivenRunOptions & keyof RunOptions;
    const value = given[property] as OptionValue | undefined;
    if (value === undefined) return [];
    const without = completeOptions({ ...given, [property]: undefined })[property];
    return value === without ? [] : [[name, value] as const];
  });
  return Object.fromEntries(told);
}

/** Flags of `train` that make this run of data that are named already. */
export function runFlags(given: GivenRunOptions): string[] {
  const { alpha, seed, strategy, partitioner, optimizer, model = {} } = given;
  const { name, ...sizes } = model;
  const words = [
    ...(name === undefined ? [] : [String(name)]),
    ...Object.entries(sizes).map(([option, value]) => `${option}=${value}`),
  ];
  return [
    ...(typeof alpha === "number" ? flag("alpha", alpha) : []),
    ...flag("seed", seed ?? 0),
    ...Object.entries(toldOptions(given)).flatMap(([option, value]) => flag(option, value)),
    ...entryFlags("partitioner", partitioner, DEFAULT_PARTITIONER, PARTITIONERS),
    ...entryFlags("strategy", strategy, DEFAULT_STRATEGY, STRATEGIES),
    ...entryFlags("optimizer", optimizer, "adam", OPTIMIZERS),
    ...(words.length > 0 ? ["--model", ...words] : []),
  ];
}

type Entries = Readonly<Record<string, { readonly options: Options }>>;

/** An entry of an open list with what is not its default: `--strategy fedprox --mu 0.1`. */
function entryFlags(
  kind: string,
  given: ({ readonly name: string } & GivenValues) | undefined,
  usual: string,
  entries: Entries,
): string[] {
  const { name, ...values } = given ?? { name: usual };
  return [
    ...(name === usual ? [] : flag(kind, name)),
    ...flagsOf(entries[name].options, values as Readonly<Record<string, OptionValue>>),
  ];
}
