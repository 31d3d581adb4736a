import {
  PARTICIPATION_OPTIONS,
  ROUND_OPTIONS,
  SCALING_OPTIONS,
  STATE_OPTIONS,
} from "../../federation/federation-options.js";
import { OPTIMIZER_NAMES, OPTIMIZERS } from "../../federation/optimizer-options.js";
import { DEFAULT_STRATEGY, STRATEGIES, STRATEGY_NAMES } from "../../federation/strategies/strategies.js";
import { MODEL_NAMES, MODELS } from "../../models/models.js";
import { choice, givable, type Option, type Options, wholeNumber } from "../../options/option.js";
import { ALPHA, CLIENT_OPTIONS, PARTITION_OPTIONS } from "../../partition/partition-options.js";
import { DEFAULT_PARTITIONER, PARTITIONER_NAMES, PARTITIONERS } from "../../partition/partitioners.js";

/** An option of a model is written with this before its name: `model.width`. */
export const MODEL_PREFIX = "model.";

type Entries = Readonly<Record<string, { readonly options: Options }>>;

/** The options of all entries by name; those of equal names are alike. */
const allOptions = (entries: Entries): Options =>
  Object.assign({}, ...Object.values(entries).map(({ options }) => givable(options)));

const { alpha: _, ...ofPartitioners } = allOptions(PARTITIONERS);
const { clients: __, rounds: ___, ...ofRounds } = ROUND_OPTIONS;

/** Groups of settings in which runs may differ, as the page lists them. */
export const RUN_FIELD_GROUPS = {
  Split: {
    alpha: ALPHA,
    clients: CLIENT_OPTIONS.clients,
    seed: wholeNumber({ from: 0, help: "seed of bins, split, initial model and order of batches" }),
    bins: PARTITION_OPTIONS.bins,
    min_size: PARTITION_OPTIONS.min_size,
    repair: PARTITION_OPTIONS.repair,
    partitioner: choice(PARTITIONER_NAMES, {
      default: DEFAULT_PARTITIONER,
      help: "how samples are split",
    }),
    ...ofPartitioners,
  },
  Strategy: {
    strategy: choice(STRATEGY_NAMES, { default: DEFAULT_STRATEGY, help: "federated algorithm" }),
    ...allOptions(STRATEGIES),
  },
  "Local training": {
    ...ofRounds,
    optimizer: choice(OPTIMIZER_NAMES, { default: "adam", help: "optimiser of the clients" }),
    ...allOptions(OPTIMIZERS),
    ...STATE_OPTIONS,
    ...SCALING_OPTIONS,
  },
  Participation: PARTICIPATION_OPTIONS,
  Model: {
    model: choice(MODEL_NAMES, { defaultWords: "the data's", help: "model that is trained" }),
    ...Object.fromEntries(
      Object.entries(allOptions(MODELS)).map(([name, option]) => [MODEL_PREFIX + name, option]),
    ),
  },
} as const satisfies Readonly<Record<string, Options>>;

/** Every setting in which runs may differ, by name. */
export const RUN_FIELDS: Options = Object.assign({}, ...Object.values(RUN_FIELD_GROUPS));

/** A setting of runs; undefined if there is none of this name. */
export const runField = (name: string): Option | undefined =>
  Object.hasOwn(RUN_FIELDS, name) ? RUN_FIELDS[name] : undefined;
