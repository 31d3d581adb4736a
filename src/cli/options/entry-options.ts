import { type Command, Option } from "commander";
import { OptionError } from "../../errors.js";
import {
  defaultOf,
  flagOf,
  type GivenValues,
  givable,
  type Options,
  type OptionValue,
  propertyOf,
} from "../../options/option.js";
import { optionFlag } from "./option-flags.js";

/** Entries of an open list, such as optimisers or partitioners, that have options of their own. */
type Entries = Readonly<Record<string, { readonly options: Options }>>;

/** An open list that a command chooses one entry of. */
export interface EntryChoice {
  /** What an entry is called, which is the name of the flag, and of several. */
  readonly kind: string;
  readonly kinds: string;
  readonly help: string;
  readonly entries: Readonly<Record<string, { readonly describe: string; readonly options: Options }>>;
  /** Options of all entries, as `entryFlags` gives them. */
  readonly flags: Options;
  readonly usual: string;
}

/** Adds a flag that names an entry, and the options of every entry, but those that the command declares itself. */
export function addEntryFlags(
  command: Command,
  { kind, kinds, help, entries, flags, usual }: EntryChoice,
  declared: readonly string[] = [],
): Command {
  command.addOption(
    new Option(`--${kind} <name>`, `${help} (default: ${usual})`).choices(Object.keys(entries)),
  );
  const added = Object.entries(flags).filter(([name]) => !declared.includes(name));
  for (const [name, option] of added)
    command.addOption(optionFlag(name, option).helpGroup(`Options of single ${kinds}:`));
  return command.addHelpText(
    "after",
    `\n${kinds[0].toUpperCase()}${kinds.slice(1)}:\n${Object.entries(entries)
      .map(([name, { describe }]) => `  ${name.padEnd(17)} ${describe}\n`)
      .join("")}`,
  );
}

/** The entry that the options name or imply, with its options; undefined for the usual one. */
export function givenEntry(
  { kind, kinds, entries, flags, usual }: EntryChoice,
  given: Readonly<Record<string, unknown>>,
): ({ readonly name: string } & GivenValues) | undefined {
  const named = (given[kind] as string | undefined) ?? impliedEntry(entries, flags, given);
  if (named === undefined) {
    const options = Object.keys(flags).filter((option) => given[propertyOf(option)] !== undefined);
    if (options.length === 0) return undefined;
    const [first, ...others] = options.map((option) => ownersOf(entries, option));
    const stray = others.findIndex((owners) => !owners.some((owner) => first.includes(owner)));
    throw new OptionError(
      stray < 0
        ? `${flagOf(options[0])} is an option of several ${kinds}: say which with --${kind}`
        : `${flagOf(options[0])} and ${flagOf(options[stray + 1])} are options of different ${kinds}`,
    );
  }
  const values = givenValues(entries, flags, named, given);
  return named === usual ? undefined : { name: named, ...values };
}

/** Options of all entries as flags of a command; each says whose option it is, and its default. */
export function entryFlags(entries: Entries, without: readonly string[] = []): Options {
  const all = Object.values(entries).flatMap(({ options }) => Object.entries(givable(options)));
  return Object.fromEntries(
    all
      .filter(([name]) => !without.includes(name))
      .map(([name, option]) => [
        name,
        {
          ...option,
          help: `${ownersOf(entries, name).join(", ")}: ${option.help}`,
          defaultWords: defaultsOf(entries, name),
        },
      ]),
  );
}

/** `0.001 for adam, 0.01 for sgd`, or one default that all have; nothing where no entry has one. */
function defaultsOf(entries: Entries, option: string): string | undefined {
  const owners = ownersOf(entries, option);
  const usual = owners.map((name) => defaultOf(entries[name].options[option]));
  if (usual.every((value) => value === usual[0])) return usual[0];
  return owners.flatMap((name, i) => (usual[i] === undefined ? [] : [`${usual[i]} for ${name}`])).join(", ");
}

const ownersOf = (entries: Entries, option: string): string[] =>
  Object.keys(entries).filter((name) => option in entries[name].options);

/** Values of an entry's options among those of a command; refuses an option that belongs to other entries. */
export function givenValues(
  entries: Entries,
  flags: Options,
  name: string,
  given: Readonly<Record<string, unknown>>,
): GivenValues {
  const values = Object.keys(flags).map(
    (option) => [option, given[propertyOf(option)] as OptionValue | undefined] as const,
  );
  const stray = values.find(([option, value]) => value !== undefined && !(option in entries[name].options));
  if (stray)
    throw new OptionError(
      `${flagOf(stray[0])} is an option of ${ownersOf(entries, stray[0]).join(", ")}, not of ${name}`,
    );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The entry whose options are given, where no other has them all: `--by viscosity` means `--partitioner by`. */
function impliedEntry(
  entries: Entries,
  flags: Options,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const options = Object.keys(flags).filter((option) => given[propertyOf(option)] !== undefined);
  if (options.length === 0) return undefined;
  const owners = Object.keys(entries).filter((name) => options.every((one) => one in entries[name].options));
  return owners.length === 1 ? owners[0] : undefined;
}
