import type { Command } from "commander";
import { closest } from "../../options/suggestions/closest-name.js";
import { familiarOption, OPTION_NOTES, STUDY_FIELDS } from "../../options/suggestions/familiar-options.js";
import { FAMILIAR_COMMANDS } from "./familiar-commands.js";

/** What may have been meant by an option that a command does not have; empty if that would be a wild guess. */
export function suggestOption(given: string, command: Command): string {
  const wanted = given.replace(/=.*$/s, "").replace(/^-+/, "").toLowerCase().replaceAll("_", "-");
  const own = command.options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  const ours = familiarOption(wanted);
  const spelt = closest(wanted, own);
  const isMisspelt = spelt !== undefined && (ours === undefined || ours === spelt);
  const known = ours === undefined || isMisspelt ? "" : familiar(ours, own, command);
  if (known !== "") return known;
  return spelt === undefined ? "" : `: did you mean --${spelt}?`;
}

/** How a command takes what other programs call otherwise; empty if it does not. */
function familiar(ours: string, own: readonly string[], command: Command): string {
  const note = OPTION_NOTES[ours] ? ` (${OPTION_NOTES[ours]})` : "";
  if (own.includes(ours)) return `: here it is --${ours}${note}`;
  if (own.includes("set") && Object.hasOwn(STUDY_FIELDS, ours))
    return `: a study takes it as --set ${STUDY_FIELDS[ours]}${note}`;
  const isArgument = command.registeredArguments.some((argument) => argument.name() === ours);
  return isArgument ? `: ${command.name()} takes it without a name, as ${command.name()} <${ours}>` : "";
}

/** The same for a command. */
export function suggestCommand(given: string, names: readonly string[]): string {
  const wanted = given.toLowerCase();
  const spelt = closest(wanted, names);
  if (spelt !== undefined) return `: did you mean ${spelt}?`;
  return Object.hasOwn(FAMILIAR_COMMANDS, wanted) ? `: ${FAMILIAR_COMMANDS[wanted]}` : "";
}
