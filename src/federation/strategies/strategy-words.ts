import { type GivenValues, type Options, propertyOf } from "../../options/option.js";
import { FEDERATION_OPTIONS } from "../federation-options.js";
import { participantCount } from "../participation/participants.js";
import type { RunOptions } from "../run-options.js";
import { DEFAULT_STRATEGY, STRATEGIES } from "./strategies.js";
import type { StrategyOptions } from "./strategy.js";

/** A strategy in words, with what is not its default: `fedavg`, `fedprox (mu 0.1)`. */
export function strategyWords(strategy: StrategyOptions | undefined): string {
  const { name, ...values } = strategy ?? { name: DEFAULT_STRATEGY };
  const options: Options = Object.hasOwn(STRATEGIES, name) ? STRATEGIES[name].options : {};
  const told = Object.entries(values as GivenValues).filter(
    ([option, value]) => value !== options[option]?.default,
  );
  const words = told.map(([option, value]) => `${inWords(option)} ${value}`);
  return words.length === 0 ? name : `${name} (${words.join(", ")})`;
}

/** How a run trains beside the usual: its strategy, who takes part, what stays with clients. */
export function trainingWords(options: RunOptions): string[] {
  const later = Object.entries<Options[string]>(FEDERATION_OPTIONS).flatMap(([name, option]) => {
    const value = options[propertyOf(name) as keyof RunOptions];
    return !option.later || value === undefined ? [] : [`${inWords(name)} ${value}`];
  });
  return [...(options.strategy ? [strategyWords(options.strategy)] : []), ...later];
}

/** How many clients take part in a round, where not all do: a share is rounded. */
export function participantsInWords(clients: number, options: RunOptions): string {
  const count = participantCount(clients, options);
  return count === clients ? "" : `, ${count} of them in each round`;
}

const inWords = (option: string): string => option.replaceAll("_", " ");
