import type { Command } from "commander";
import { DEFAULT_STRATEGY, STRATEGIES } from "../../federation/strategies/strategies.js";
import type { GivenValues } from "../../options/option.js";
import { addEntryFlags, type EntryChoice, entryFlags, givenEntry } from "./entry-options.js";

const CHOICE: EntryChoice = {
  kind: "strategy",
  kinds: "strategies",
  help: "federated algorithm",
  entries: STRATEGIES,
  flags: entryFlags(STRATEGIES),
  usual: DEFAULT_STRATEGY,
};

/** Adds `--strategy` and the options of every strategy. */
export const addStrategyFlags = (command: Command): Command => addEntryFlags(command, CHOICE);

/** The strategy that the options name or imply; undefined for federated averaging. */
export const givenStrategy = (
  given: Readonly<Record<string, unknown>>,
): ({ readonly name: string } & GivenValues) | undefined => givenEntry(CHOICE, given);
