import { FEDERATION_OPTIONS } from "../federation/federation-options.js";
import { STRATEGY_NAMES } from "../federation/strategies/strategies.js";
import { type Options, rangeWords } from "../options/option.js";
import { closest } from "../options/suggestions/closest-name.js";
import { familiarOption, OPTION_NOTES, STUDY_FIELDS } from "../options/suggestions/familiar-options.js";
import { suggestStrategy } from "../options/suggestions/familiar-strategies.js";

/**
 * What may have been meant by a field that a study does not have at its place, misspelt or as other programs call it;
 * undefined if that would be a wild guess.
 *
 * @param known the fields that there are at this place
 */
export function familiarField(given: string, known: readonly string[]): string | undefined {
  const wanted = given
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll("_", "-");
  const ours = familiarOption(wanted);
  const spelt = closest(wanted.replaceAll("-", "_"), known);
  const isMisspelt = spelt !== undefined && (ours === undefined || fieldOf(ours) === spelt);
  if (ours === undefined || isMisspelt) return spelt && `did you mean ${spelt}?`;
  const note = OPTION_NOTES[ours] ? ` (${inFields(OPTION_NOTES[ours])})` : "";
  if (known.includes(fieldOf(ours))) return `here it is ${fieldOf(ours)}${note}`;
  return Object.hasOwn(STUDY_FIELDS, ours)
    ? `a study takes it as ${inYaml(STUDY_FIELDS[ours])}${note}`
    : undefined;
}

/** The same for a strategy, as a sentence; empty if that would be a wild guess. */
export const familiarStrategy = (given: string): string => inFields(suggestStrategy(given, STRATEGY_NAMES));

/** How a range is given to a field of the federation that takes one number; empty where it is none. */
export function rangeAnswer(name: string, value: unknown): string {
  const options: Options = FEDERATION_OPTIONS;
  const words =
    Object.hasOwn(options, name) && typeof value === "string"
      ? rangeWords(name, options[name], value, (own, number) => `${own}: ${number}`)
      : undefined;
  return words === undefined ? "" : `: ${words}`;
}

const fieldOf = (option: string): string => option.replaceAll("-", "_");

/** Flags in a sentence as fields: `--local-steps` is `local_steps`. */
const inFields = (text: string): string => text.replace(/--([a-z-]+)/g, (_, flag: string) => fieldOf(flag));

/** A field with its value, such as `federation.rounds=50`, as a study's YAML has it: `federation: { rounds: 50 }`. */
function inYaml(field: string): string {
  const [path, value] = field.replaceAll("'", "").split(/=(.*)/s);
  const [name, ...inner] = path.split(".");
  const around = (text: string, part: string) => (/^\d+$/.test(part) ? `[${text}]` : `{ ${part}: ${text} }`);
  return `${name}: ${inner.reduceRight(around, value)}`;
}
