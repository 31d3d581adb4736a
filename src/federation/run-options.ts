import type { FileData } from "../datasets/dataset.js";
import {
  type GenerateOptions,
  type GenerateSpecification,
  generateSpecification,
} from "../datasets/generate.js";
import type { SourceParameters } from "../datasets/source.js";
import { sourceOf } from "../datasets/sources.js";
import { OptionError } from "../errors.js";
import { modelOf } from "../models/models.js";
import {
  expectedWords,
  type GivenValues,
  type Option,
  type Options,
  type OptionValue,
  type PropertiesOf,
  propertyOf,
  recordedValues,
  takes,
} from "../options/option.js";
import { checkCost, isCostName } from "../partition/ground-costs.js";
import { checkOptions } from "../partition/partition.js";
import { DEFAULT_MIN_SIZE, PARTITION_OPTIONS } from "../partition/partition-options.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import {
  completeChoice,
  DEFAULT_PARTITIONER,
  partitionerChoice,
  partitionerOf,
  takesAlpha,
} from "../partition/partitioners.js";
import { chosenRepresentation, DEFAULT_REPRESENTATION } from "../partition/representations.js";
import { checkModel, chosenModel, isOwnData, plannedModel } from "./chosen-model.js";
import { ENGINE_OPTIONS, FEDERATION_OPTIONS, SCALING_OPTIONS } from "./federation-options.js";
import { type OptimizerOptions, optimizerOptions } from "./optimizer-options.js";
import { checkSteps } from "./participation/local-steps-taken.js";
import { checkParticipation } from "./participation/participants.js";
import { isDrawnBySize } from "./participation/sampling.js";
import { checkStateRules } from "./rounds/client-vectors.js";
import { checkSchedules } from "./schedule.js";
import { checkLocalParts } from "./strategies/local-parts.js";
import { checkStrategy, strategyOptions } from "./strategies/strategies.js";
import type { StrategyOptions } from "./strategies/strategy.js";

export {
  BACKENDS,
  type BackendName,
  CLIENT_STATES,
  type ClientState,
  NORMALISATIONS,
  type Normalisation,
} from "./federation-options.js";
export { type OptimizerOptions, optimizerOf } from "./optimizer-options.js";

/** A file of labelled samples to train on in place of generated ones. */
export type DataSource = FileData;

/** Rounds at which the paper measures. */
export const PAPER_CHECKPOINTS: readonly number[] = [0, 1, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Options of a run, each declared once; data, model, optimiser and concentration come on top. */
export const RUN_OPTIONS = {
  ...PARTITION_OPTIONS,
  ...FEDERATION_OPTIONS,
  ...SCALING_OPTIONS,
  ...ENGINE_OPTIONS,
} as const satisfies Options;

type Declared = PropertiesOf<typeof RUN_OPTIONS>;
/** Options that are absent at their defaults, so that names of earlier runs stay what they are. */
type Later =
  | ("tf32" | "representation" | "standardise" | "cost")
  | ("participation" | "weights" | "sampling" | "candidates" | "dropout" | "local")
  | ("localStepsMin" | "localEpochs" | "secondMoment" | "clientSchedule" | "serverSchedule");

/** Everything that defines a run; the same options give the same numbers. */
export interface RunOptions extends Omit<Declared, Later>, Partial<Pick<Declared, Later>> {
  /** Name of the data: a built-in task, or what the user calls them. */
  readonly task: string;
  /** Parameters of the data: `{ viscosity: 0.1 }`. */
  readonly parameters: SourceParameters;
  /** Data from a file; undefined for generated data. */
  readonly data?: DataSource;
  /** Samples. */
  readonly train: number;
  readonly test: number;
  /** Dirichlet concentration, 100 is the near-IID reference; null where the partitioner or a target distance takes its place. */
  readonly alpha: number | null;
  /** How samples are split; undefined for the paper's partitioner. */
  readonly partitioner?: PartitionerChoice;
  /** D_sol to come closest to, in place of a concentration. */
  readonly targetDistance?: number;
  /** Hash of the matrix, where `cost` is a file: a run is what its costs are, not how their file is called. */
  readonly costSha256?: string;
  /** Determines bins, partition, initial model and order of batches, and the data unless they have their own seed. */
  readonly seed: number;
  readonly dataSeed: number;
  readonly optimizer: OptimizerOptions;
  /** The federated algorithm; undefined for federated averaging. */
  readonly strategy?: StrategyOptions;
  /** Overrides of the model's options; with `name`, the model itself where it is not the one that belongs to the data. */
  readonly model: Readonly<Record<string, OptionValue>>;
  /** Rounds at which the run is measured, ascending, the last one included. */
  readonly checkpoints: readonly number[];
}

/** Options as a user gives them. Others default to the paper's values, or to ours where it states none (docs/readings.md). */
export type GivenRunOptions = Pick<RunOptions, "task"> &
  Partial<Omit<RunOptions, "parameters" | "optimizer" | "strategy">> &
  Pick<GenerateOptions, "parameters"> & {
    readonly optimizer?: { readonly name: string } & GivenValues;
    readonly strategy?: { readonly name: string } & GivenValues;
  };

/** Fills in defaults and refuses options that make no sense. */
export function runOptions(given: GivenRunOptions): RunOptions {
  const options = completeOptions(given);
  const { alpha, targetDistance } = options;
  if (targetDistance !== undefined && !(targetDistance > 0))
    throw new OptionError(`target_distance is a positive number, not ${targetDistance}`);
  if (targetDistance !== undefined && alpha !== null)
    throw new OptionError("give either alpha or a target distance");
  const { name } = options.partitioner ?? { name: DEFAULT_PARTITIONER };
  if (targetDistance !== undefined && !takesAlpha(name))
    throw new OptionError(`the partitioner ${name} has no concentration: leave out the target distance`);
  checkBins(options);
  checkOptions(options.train, { ...options, alpha: alpha ?? (targetDistance === undefined ? null : 1) });
  if (options.test < 1) throw new OptionError("test = 0: there are no samples to measure the error on");
  for (const { check } of FEDERATION_CHECKS) check(options);
  checkModel(options);
  if (options.local !== undefined) checkLocalParts(plannedModel(options).layout, options.local);
  return options;
}

/** What is refused of how clients and server train, with the options that it may be about. */
const FEDERATION_CHECKS: readonly {
  readonly about: readonly string[];
  check(options: RunOptions): void;
}[] = [
  { about: ["strategy"], check: checkStrategy },
  { about: ["participation", "sampling", "candidates", "clients"], check: checkParticipation },
  { about: ["local_steps_min", "local_epochs"], check: checkSteps },
  { about: ["client_schedule", "server_schedule"], check: checkSchedules },
  { about: ["second_moment", "client_state"], check: checkStateRules },
];

/** The options of the federation that refused options may be refused for; none where it is something else. */
export function refusedFederation(given: GivenRunOptions): readonly string[] {
  const options = completeOptions(given);
  const isRefused = (check: () => void) => {
    try {
      check();
      return false;
    } catch {
      return true;
    }
  };
  const found = FEDERATION_CHECKS.find(({ check }) => isRefused(() => check(options)));
  const { local } = options;
  if (found || local === undefined) return found?.about ?? [];
  return isRefused(() => checkLocalParts(plannedModel(options).layout, local)) ? ["local"] : [];
}

/** Refuses a representation that cannot be, and a scaling or a cost that it does not take. */
function checkBins({ representation = DEFAULT_REPRESENTATION, standardise, cost }: RunOptions): void {
  const { entry, text } = chosenRepresentation(representation);
  if (standardise !== undefined && !entry.readsArrays)
    throw new OptionError(`standardise scales arrays, and the representation ${text} has none: leave it out`);
  if (cost !== undefined && isCostName(cost)) checkCost(cost, entry);
}

/** Fills in defaults. Values are checked one by one, but not whether they go together. */
export function completeOptions(given: GivenRunOptions): RunOptions {
  const { task, seed, train, test, parameters } = given.data
    ? importedSpecification(given, given.data)
    : generateSpecification(given as GenerateOptions);
  const { data, clients = FEDERATION_OPTIONS.clients.default, model = {} } = given;
  const partitioner =
    given.partitioner && given.partitioner.name !== DEFAULT_PARTITIONER
      ? completeChoice(partitionerChoice(given.partitioner))
      : undefined;
  const strategy = strategyOptions(given.strategy);
  const usual = usualValues({ task, data, model, train, clients });
  const keepsClients = partitioner !== undefined && partitionerOf(partitioner.name).keepsClients === true;
  const representation = given.representation && chosenRepresentation(given.representation).text;
  const declared = declaredOptions(
    { ...given, representation },
    {
      ...usual,
      ...(keepsClients && { min_size: 1 }),
      ...(isDrawnBySize(given.sampling) && { weights: "uniform" }),
    },
  );
  return {
    ...declared,
    task,
    parameters,
    ...(data && { data }),
    train,
    test,
    alpha: given.alpha ?? null,
    ...(partitioner && { partitioner }),
    ...(given.targetDistance !== undefined && { targetDistance: given.targetDistance }),
    ...(given.costSha256 !== undefined && { costSha256: given.costSha256 }),
    seed,
    dataSeed: data?.seed ?? given.dataSeed ?? sourceOf(task).dataSeed ?? seed,
    optimizer: optimizerOptions(given.optimizer ?? { name: "adam" }),
    ...(strategy && { strategy }),
    model: recordedValues(modelOf(chosenModel({ task, data, model }).name).options, model),
    checkpoints: checkpointsUpTo(declared.rounds, given.checkpoints ?? PAPER_CHECKPOINTS),
  };
}

/** What is usual for data and model where nothing is said: of a task the paper's values. */
function usualValues(
  options: Pick<RunOptions, "task" | "data" | "model" | "train" | "clients">,
): GivenValues {
  const { task, data, train, clients } = options;
  const { name, isUsual } = chosenModel(options);
  const { training } = modelOf(name);
  if (isOwnData(data))
    return {
      ...training,
      min_size: Math.min(DEFAULT_MIN_SIZE, Math.max(1, Math.floor(train / (2 * clients)))),
    };
  const { minSize, normalise = training.normalise } = sourceOf(task);
  return { ...training, min_size: minSize, ...(isUsual && { normalise }) };
}

/** Values of the declared options: those given, else what is usual for data and model, else the defaults. */
function declaredOptions(
  given: GivenRunOptions,
  usual: GivenValues,
): Omit<Declared, Later> & Partial<Pick<Declared, Later>> {
  const entries = Object.entries<Option>(RUN_OPTIONS).flatMap(([name, option]) => {
    const asked = given[propertyOf(name) as keyof GivenRunOptions] as OptionValue | undefined;
    const value = asked ?? usual[name] ?? option.default;
    if (option.later && value === undefined) return [];
    if (!takes(option, value))
      throw new OptionError(`${name} is ${expectedWords(option)}, not ${JSON.stringify(value)}`);
    return option.later && value === option.default ? [] : [[propertyOf(name), value] as const];
  });
  return Object.fromEntries(entries) as unknown as ReturnType<typeof declaredOptions>;
}

/** What a file says takes the place of what is generated. */
function importedSpecification(
  { task, seed = 0, train, test, parameters = {} }: GivenRunOptions,
  data: DataSource,
): Omit<GenerateSpecification, "task"> & { readonly task: string } {
  if (data.task !== task) throw new OptionError(`${data.file} holds data of ${data.task}, not of ${task}`);
  const given = Object.entries({ train, test, ...parameters }).find(([, value]) => value !== undefined);
  if (given)
    throw new OptionError(`${given[0]} is an option of generated data: leave it out for ${data.file}`);
  return { task, seed, train: data.train, test: data.test, parameters: data.parameters };
}

/** The wanted rounds that a run of this length has, ascending, and its last one. */
export function checkpointsUpTo(rounds: number, wanted: readonly number[]): readonly number[] {
  const odd = wanted.find((round) => !Number.isSafeInteger(round) || round < 0);
  if (odd !== undefined) throw new OptionError(`checkpoint ${odd} is not a round: 0, 1, 2, ...`);
  return [...new Set([...wanted.filter((round) => round <= rounds), rounds])].sort((a, b) => a - b);
}
