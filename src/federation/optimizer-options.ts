import { adam, type Optimizer, sgd } from "../engine/optimizers.js";
import { OptionError } from "../errors.js";
import {
  checkValues,
  type GivenValues,
  type Options,
  realNumber,
  recordedValues,
  withDefaults,
} from "../options/option.js";

/** A client's optimiser by its name, with the values of its options. */
export interface OptimizerOptions {
  readonly name: string;
  readonly rate: number;
  readonly [option: string]: string | number;
}

/** An entry of the list of optimisers: a new one is its line here, and its update in the engine. */
interface OptimizerEntry {
  readonly options: Options;
  make(values: Readonly<Record<string, number>>): Optimizer;
}

const RATES = { from: 1e-12, to: 1e3, help: "learning rate" };

/** Optimisers of clients, with the paper's learning rates. */
export const OPTIMIZERS: Readonly<Record<string, OptimizerEntry>> = {
  adam: {
    options: {
      rate: realNumber({ ...RATES, default: 1e-3 }),
    },
    make: adam,
  },
  sgd: {
    options: {
      rate: realNumber({ ...RATES, default: 1e-2 }),
      momentum: realNumber({ from: 0, to: 1, below: true, default: 0.9, help: "momentum" }),
    },
    make: sgd,
  },
};

export const OPTIMIZER_NAMES: readonly string[] = Object.keys(OPTIMIZERS);

/** An optimiser with its defaults filled in; refuses what it does not have. */
export function optimizerOptions({
  name,
  ...given
}: { readonly name: string } & GivenValues): OptimizerOptions {
  if (!Object.hasOwn(OPTIMIZERS, name))
    throw new OptionError(`optimizer is one of ${OPTIMIZER_NAMES.join(", ")}, not "${name}"`);
  const { options } = OPTIMIZERS[name];
  checkValues(options, given, name);
  return { name, ...recordedValues(options, withDefaults(options, given)) } as OptimizerOptions;
}

export function optimizerOf({ name, ...values }: OptimizerOptions): Optimizer {
  return OPTIMIZERS[name].make(values as unknown as Readonly<Record<string, number>>);
}
