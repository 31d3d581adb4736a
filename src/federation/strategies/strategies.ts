import { OptionError } from "../../errors.js";
import { checkValues, type GivenValues, withDefaults } from "../../options/option.js";
import { fedavg } from "./fedavg.js";
import { fedprox } from "./fedprox.js";
import { fedadagrad, fedadam, fedavgm, fedyogi } from "./server-optimizers.js";
import type { Strategy, StrategyEntry, StrategyOptions, StrategyRun } from "./strategy.js";

/** All strategies, keyed by the name under which a run is asked for and recorded. */
export const STRATEGIES: Readonly<Record<string, StrategyEntry>> = {
  fedavg,
  fedprox,
  fedavgm,
  fedadagrad,
  fedadam,
  fedyogi,
};

export const STRATEGY_NAMES: readonly string[] = Object.keys(STRATEGIES);

/** The paper's. Records of its runs do not name it. */
export const DEFAULT_STRATEGY = "fedavg";

/** A strategy with its defaults filled in; refuses what it does not have. Undefined for the paper's. */
export function strategyOptions(
  given: ({ readonly name: string } & GivenValues) | undefined,
): StrategyOptions | undefined {
  const { name, ...values } = given ?? { name: DEFAULT_STRATEGY };
  if (!Object.hasOwn(STRATEGIES, name))
    throw new OptionError(`strategy is one of ${STRATEGY_NAMES.join(", ")}, not "${name}"`);
  const { options } = STRATEGIES[name];
  checkValues(options, values, name);
  return name === DEFAULT_STRATEGY
    ? undefined
    : ({ name, ...withDefaults(options, values) } as StrategyOptions);
}

/** What the options of a run say of its strategy. */
export interface ChosenStrategy extends StrategyRun {
  readonly strategy?: StrategyOptions;
}

/** The strategy of a run. */
export function strategyOf({ strategy, ...run }: ChosenStrategy): Strategy {
  const { name, ...values } = strategy ?? { name: DEFAULT_STRATEGY };
  return STRATEGIES[name].make(values, run);
}
