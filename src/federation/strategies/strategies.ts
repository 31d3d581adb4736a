import { OptionError } from "../../errors.js";
import { checkValues, type GivenValues, withDefaults } from "../../options/option.js";
import { centralised, localOnly } from "./baselines.js";
import { ditto } from "./ditto.js";
import { fedavg } from "./fedavg.js";
import { fednova } from "./fednova.js";
import { fedprox } from "./fedprox.js";
import { localParts } from "./local-parts.js";
import { scaffold } from "./scaffold.js";
import { fedadagrad, fedadam, fedavgm, fedyogi } from "./server-optimizers.js";
import type { Strategy, StrategyEntry, StrategyOptions, StrategyRun } from "./strategy.js";

/** All strategies, keyed by the name under which a run is asked for and recorded. */
export const STRATEGIES: Readonly<Record<string, StrategyEntry>> = {
  fedavg,
  fedprox,
  scaffold,
  fednova,
  fedavgm,
  fedadagrad,
  fedadam,
  fedyogi,
  ditto,
  "local-only": localOnly,
  centralised,
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

/** The strategy of a run, with the parameters that stay with clients. */
export function strategyOf({ strategy, ...run }: ChosenStrategy): Strategy {
  const { name, ...values } = strategy ?? { name: DEFAULT_STRATEGY };
  const made = STRATEGIES[name].make(values, run);
  return run.local === undefined ? made : { ...made, isLocal: localParts(run.local) };
}

/** Refuses a strategy that cannot work with the options of its run. */
export function checkStrategy({ strategy, ...run }: ChosenStrategy): void {
  const { name, ...values } = strategy ?? { name: DEFAULT_STRATEGY };
  STRATEGIES[name].check?.(values, run);
}
