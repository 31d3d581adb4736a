import type { Command } from "commander";
import { FAMILIAR_COMMANDS, FAMILIAR_OPTIONS, OPTION_NOTES, STUDY_FIELDS } from "./familiar-names.js";

/** A name with more letters is no misspelt one, and would take long to compare. */
const LONGEST = 40;

/** What may have been meant by an option that a command does not have; empty if that would be a wild guess. */
export function suggestOption(given: string, command: Command): string {
  const wanted = given.replace(/=.*$/s, "").replace(/^-+/, "").toLowerCase().replaceAll("_", "-");
  const own = command.options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
  const ours = Object.keys(FAMILIAR_OPTIONS).find(
    (name) => name === wanted || FAMILIAR_OPTIONS[name].includes(wanted),
  );
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

/** What may have been meant by a name that is none of those known. */
export function suggestName(given: string, names: readonly string[]): string {
  const spelt = closest(given.toLowerCase(), names);
  return spelt === undefined ? "" : `: did you mean ${spelt}?`;
}

/**
 * The name that a misspelt one stands for: one edit, or two from eight letters on, three from twelve; or the only one
 * that begins with it.
 */
function closest(given: string, names: readonly string[]): string | undefined {
  if (given.length < 3 || given.length > LONGEST) return undefined;
  const begun = names.filter((name) => name.startsWith(given));
  if (begun.length === 1) return begun[0];
  const near = names
    .map((name) => ({ name, edits: editDistance(given, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.max(given.length, name.length) / 4)));
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** Insertions, deletions, substitutions and exchanges of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min(replaced, exchanged, rows[i - 1][j] + 1, row[j - 1] + 1));
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
