import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { DEFAULT_STRATEGY, STRATEGIES, STRATEGY_NAMES } from "../../federation/strategies/strategies.js";
import type { GivenValues } from "../../options/option.js";
import { suggestStrategy } from "../../options/suggestions/familiar-strategies.js";
import { addEntryName, addEntryOptions, type EntryChoice, entryFlags, givenEntry } from "./entry-options.js";

const CHOICE: EntryChoice = {
  kind: "strategy",
  kinds: "strategies",
  help: "federated algorithm",
  entries: STRATEGIES,
  flags: entryFlags(STRATEGIES),
  usual: DEFAULT_STRATEGY,
  isImplied: false,
  field: "federation.strategy",
  page: fileURLToPath(new URL("../../../docs/strategies.md", import.meta.url)),
  answer: (name) => suggestStrategy(name, STRATEGY_NAMES),
};

/** Adds `--strategy`. */
export const addStrategyName = (command: Command): Command => addEntryName(command, CHOICE);

/** Adds the options of every strategy. */
export const addStrategyOptions = (command: Command): Command => addEntryOptions(command, CHOICE);

/** The strategy that the options name; undefined for federated averaging. */
export const givenStrategy = (
  given: Readonly<Record<string, unknown>>,
): ({ readonly name: string } & GivenValues) | undefined => givenEntry(CHOICE, given);
