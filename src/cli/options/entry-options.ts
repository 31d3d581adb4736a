import { type Command, InvalidArgumentError, Option } from "commander";
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
import { askedEntry, helpOnEntries } from "./entry-help.js";
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
  /** Whether options that only one entry has name it: `--by viscosity` means `--partitioner by`. */
  readonly isImplied: boolean;
  /** The field of a study, and the page that describes all entries. */
  readonly field: string;
  readonly page: string;
  /** What may have been meant by a name that no entry has, as a sentence; empty if that would be a wild guess. */
  answer?(name: string): string;
}

/** Adds a flag that names an entry, and the options of every entry, but those that the command declares itself. */
export function addEntryFlags(
  command: Command,
  choice: EntryChoice,
  declared: readonly string[] = [],
): Command {
  return addEntryOptions(addEntryName(command, choice), choice, declared);
}

/** Adds a flag that names an entry. */
export function addEntryName(command: Command, choice: EntryChoice): Command {
  const { kind, help, entries, usual, answer } = choice;
  const names = Object.keys(entries);
  helpOnEntries(command, choice);
  return command.addOption(
    new Option(`--${kind} <name>`, `${help} (default: ${usual})`).choices(names).argParser((name: string) => {
      if (Object.hasOwn(entries, name)) return name;
      const meant = answer?.(name) ?? "";
      throw new InvalidArgumentError(`${meant && `${meant} `}Allowed choices are ${names.join(", ")}.`);
    }),
  );
}

/** Adds the options of every entry, but those that the command declares itself. */
export function addEntryOptions(
  command: Command,
  { kind, kinds, entries, flags, usual }: EntryChoice,
  declared: readonly string[] = [],
): Command {
  const added = Object.entries(flags).filter(([name]) => !declared.includes(name));
  for (const [name, option] of added)
    command.addOption(optionFlag(name, option).helpGroup(`Options of single ${kinds}:`));
  const lines = Object.entries(entries).map(([name, { describe }]) => `  ${name.padEnd(17)} ${describe}\n`);
  const [example] = Object.keys(entries).filter(
    (name) => Object.keys(entries[name].options).length > 0 && name !== usual,
  );
  const text =
    `\n${kinds[0].toUpperCase()}${kinds.slice(1)} ` +
    `(\`--${kind} ${example} --help\` shows the options of one):\n${lines.join("")}`;
  return command.addHelpText("after", () => (askedEntry(command) ? "" : text));
}

/** The entry that the options name or imply, with its options; undefined for the usual one. */
export function givenEntry(
  choice: EntryChoice,
  given: Readonly<Record<string, unknown>>,
): ({ readonly name: string } & GivenValues) | undefined {
  const { kind, entries, flags, usual, isImplied } = choice;
  const implied = isImplied ? impliedEntry(entries, flags, given) : undefined;
  const named = (given[kind] as string | undefined) ?? implied;
  if (named === undefined) {
    const options = Object.keys(flags).filter((option) => given[propertyOf(option)] !== undefined);
    if (options.length === 0) return undefined;
    throw new OptionError(unnamedEntry(choice, options));
  }
  const values = givenValues(entries, flags, named, given);
  return named === usual ? undefined : { name: named, ...values };
}

/** Why options alone do not say which entry is meant. */
function unnamedEntry({ kind, kinds, entries }: EntryChoice, options: readonly string[]): string {
  const [first, ...others] = options.map((option) => ownersOf(entries, option));
  const stray = others.findIndex((owners) => !owners.some((owner) => first.includes(owner)));
  if (stray >= 0)
    return `${flagOf(options[0])} and ${flagOf(options[stray + 1])} are options of different ${kinds}`;
  const owners = first.filter((owner) => others.every((other) => other.includes(owner)));
  const flag = flagOf(options[0]);
  return owners.length === 1
    ? `${flag} is an option of the ${kind} ${owners[0]}: add --${kind} ${owners[0]}`
    : `${flag} is an option of ${owners.join(", ")}: say which with --${kind}`;
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
