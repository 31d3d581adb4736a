import { type Command, Help } from "commander";
import { defaultOf, givable, type Options } from "../../options/option.js";
import type { EntryChoice } from "./entry-options.js";
import { optionFlag } from "./option-flags.js";

/** The open lists that commands choose from. */
const CHOICES = new WeakMap<Command, EntryChoice[]>();

/** Lets `--help` beside a name, such as `--strategy fedprox`, show what bears this name alone. */
export function helpOnEntries(command: Command, choice: EntryChoice): void {
  const known = CHOICES.get(command);
  if (known) {
    known.push(choice);
    return;
  }
  CHOICES.set(command, [choice]);
  command.configureHelp({
    formatHelp(shown, helper) {
      const asked = askedEntry(shown);
      return asked ? entryHelp(shown, helper, asked) : Help.prototype.formatHelp.call(helper, shown, helper);
    },
  });
}

interface AskedEntry {
  readonly choice: EntryChoice;
  readonly name: string;
}

/** What the help is asked about. */
export function askedEntry(command: Command): AskedEntry | undefined {
  const given = command.opts() as Readonly<Record<string, unknown>>;
  return CHOICES.get(command)
    ?.map((choice) => ({ choice, name: String(given[choice.kind]) }))
    .find(({ choice, name }) => Object.hasOwn(choice.entries, name));
}

function entryHelp(command: Command, helper: Help, { choice, name }: AskedEntry): string {
  const { kind, kinds, entries, field, page } = choice;
  const { describe, options }: { readonly describe: string; readonly options: Options } = entries[name];
  const own = Object.entries(givable(options));
  const flags = own.map(([option, declared]) => optionFlag(option, declared));
  const width = Math.max(0, ...flags.map((flag) => helper.optionTerm(flag).length));
  const lines = flags.map((flag) =>
    helper.formatItem(helper.optionTerm(flag), width, helper.optionDescription(flag), helper),
  );
  const stated = own
    .map(([option, declared]) => [option, defaultOf(declared)] as const)
    .filter(([, value]) => value !== undefined && !/\s/.test(value))
    .slice(0, 2);
  const values = [`name: ${name}`, ...stated.map(([option, value]) => `${option}: ${value}`)];
  return [
    `Usage: pde-dirichlet ${command.name()} ... --${kind} ${name}`,
    "",
    `${name}: ${describe}.`,
    "",
    ...(own.length === 0 ? [`It has no options of its own.`] : [`Options of ${name}:`, ...lines]),
    "",
    `In a study:  ${field}: ${own.length === 0 ? name : `{ ${values.join(", ")} }`}`,
    `All ${kinds}: ${page}`,
    "",
  ].join("\n");
}
