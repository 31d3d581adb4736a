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

/** Entries of an open list, such as optimisers or partitioners, that have options of their own. */
type Entries = Readonly<Record<string, { readonly options: Options }>>;

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
export function impliedEntry(
  entries: Entries,
  flags: Options,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const options = Object.keys(flags).filter((option) => given[propertyOf(option)] !== undefined);
  if (options.length === 0) return undefined;
  const owners = Object.keys(entries).filter((name) => options.every((one) => one in entries[name].options));
  return owners.length === 1 ? owners[0] : undefined;
}
