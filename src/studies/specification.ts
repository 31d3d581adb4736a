import { existsSync } from "node:fs";
import { z } from "zod";
import { FILE_CHOICES } from "../datasets/files/file-choices.js";
import { isSource, ownersOf, SOURCE_NAMES, sourceOf } from "../datasets/sources.js";
import {
  type BackendName,
  ENGINE_OPTIONS,
  FEDERATION_OPTIONS,
  SCALING_OPTIONS,
} from "../federation/federation-options.js";
import {
  OPTIMIZER_NAMES,
  OPTIMIZERS,
  type OptimizerOptions,
  optimizerOptions,
} from "../federation/optimizer-options.js";
import { STRATEGIES, strategyOptions } from "../federation/strategies/strategies.js";
import type { StrategyOptions } from "../federation/strategies/strategy.js";
import {
  expectedWords,
  givable,
  type Options,
  type OptionValue,
  realNumber,
  takes,
  wholeNumber,
} from "../options/option.js";
import { PARTITION_OPTIONS } from "../partition/partition-options.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import { PARTITIONERS, partitionerChoice, partitionerOf } from "../partition/partitioners.js";
import { DEFAULT_REFERENCE } from "./default-reference.js";
import {
  type AxisValues,
  axesOf,
  axis,
  combinations,
  fields,
  listOf,
  oneValue,
  overridesOf,
} from "./option-fields.js";

const { rounds, ...federation } = FEDERATION_OPTIONS;
const { threads: _, ...engine } = ENGINE_OPTIONS;

const whole = (from: number) => oneValue(wholeNumber({ from, help: "" }));
const concentration = oneValue(realNumber({ from: 1e-6, to: 1e9, help: "" }));
const oneOf = <T extends string>(values: readonly T[]) =>
  z.enum(values as [T, ...T[]], { error: `one of ${values.join(", ")}` });
const words = z.string({ error: "a line of text" });
const scalar = z.union([z.number(), z.string(), z.boolean()], { error: "a number or a word" });

/** Values by name, each one or a list of them: options of a model, whose own declarations say which it takes. */
const values = z.record(z.string(), axis(scalar, "values"), { error: "a map of numbers and words" });

/** An optimiser whose options are each a value or a list of values. */
const optimizer = z.discriminatedUnion(
  "name",
  OPTIMIZER_NAMES.map((name) =>
    fields({ name: z.literal(name), ...overridesOf(OPTIMIZERS[name].options) }),
  ) as never,
  {
    error: ({ code }) =>
      code === "invalid_union" ? OPTIMIZER_NAMES.join(" or ") : "a map with a name and a rate",
  },
) as z.ZodType<{ readonly name: string } & Readonly<Record<string, readonly OptionValue[]>>>;

/** Optimisers, one for each combination of the values of their options. */
const optimizers = axis(optimizer, "optimizers")
  .transform((all) =>
    all.flatMap(({ name, ...lists }) =>
      combinations(lists).map((values) => optimizerOptions({ name, ...values })),
    ),
  )
  .refine((all) => new Set(all.map((one) => JSON.stringify(one))).size === all.length, {
    error: "a list of optimizers without repetitions",
  });

/** An entry of an open list by its name alone, or with its options, each a value or a list of values. */
function namedEntry(entries: Readonly<Record<string, { readonly options: Options }>>) {
  const names = Object.keys(entries);
  return z.preprocess(
    (value) => (typeof value === "string" ? { name: value } : value),
    z.discriminatedUnion(
      "name",
      names.map((name) => {
        const { alpha: _, ...options } = entries[name].options;
        return fields({ name: z.literal(name), ...overridesOf(givable(options)) });
      }) as never,
      { error: `one of ${names.join(", ")}, or a map with such a name and its options` },
    ),
  ) as z.ZodType<{ readonly name: string } & Readonly<Record<string, readonly OptionValue[]>>>;
}

/** Strategies, one for each combination of the values of their options. */
const strategies = axis(namedEntry(STRATEGIES), "strategies").transform((all) =>
  all.flatMap(({ name, ...lists }) =>
    combinations(lists).map((values) => strategyOptions({ name, ...values }) ?? { name }),
  ),
);

/** Partitioners, one for each combination of the values of their options. */
const partitioners = axis(namedEntry(PARTITIONERS), "partitioners").transform((all) =>
  all.flatMap(({ name, ...lists }) =>
    combinations(lists).map((values) => partitionerChoice({ name, ...values })),
  ),
);

/** How samples are split. `file` is short for the partitioner of that name. */
const partition = z
  .strictObject(
    {
      ...axesOf(PARTITION_OPTIONS),
      partitioner: partitioners.optional(),
      file: axis(z.string({ error: "the path of a partition" }), "partitions").optional(),
      target_distance: axis(
        oneValue(realNumber({ from: 1e-9, to: 1e9, help: "" })),
        "target distances",
      ).optional(),
    },
    {
      error: `the fields are ${[...Object.keys(PARTITION_OPTIONS), "partitioner, file, target_distance"].join(", ")}`,
    },
  )
  .transform(({ file, ...rest }, context) => {
    if (file === undefined) return rest;
    if (rest.partitioner !== undefined)
      context.addIssue({
        code: "custom",
        path: ["file"],
        message: "left out where there is a partitioner: write { name: file, file: ... } there",
      });
    return { ...rest, partitioner: file.map((path) => partitionerChoice({ name: "file", file: path })) };
  });

/** Options that an entry of `tasks` may override for itself. */
const OWN_OPTIONS = {
  batch: FEDERATION_OPTIONS.batch,
  min_size: PARTITION_OPTIONS.min_size,
  ...SCALING_OPTIONS,
};

/** Values of a model's options by name, its own `name` among them; each a list, since each is an axis. */
export type ModelValues = Readonly<Record<string, readonly OptionValue[]>>;

/** What an entry says of a file: see `FILE_CHOICES`. */
type FileFields = {
  readonly [K in keyof typeof FILE_CHOICES]?: FieldOf<(typeof FILE_CHOICES)[K]["kind"]>;
};
type FieldOf<K> = K extends "whole"
  ? number
  : K extends "names"
    ? readonly string[]
    : K extends "arrays"
      ? string | readonly string[]
      : string;

/** An entry of `tasks`: data to learn from. Parameters of generated data stand beside these fields (`parametersOf`). */
export interface StudyEntry extends AxisValues<typeof OWN_OPTIONS>, FileFields {
  /** A built-in task; with a file, what that calls itself. */
  readonly task?: string;
  /** Training samples of generated data; the task's unless told otherwise. */
  readonly train?: number;
  /** Test samples of generated data; of a file a number, a fraction, a range or another file. */
  readonly test?: number | string;
  /** A file to train on; a relative path starts at the folder of the YAML. */
  readonly data?: string;
  /** Name, sizes and options of the model. */
  readonly model?: ModelValues;
}

export interface StudySpecification {
  readonly name: string;
  readonly title?: string;
  readonly tasks: readonly StudyEntry[];
  readonly alphas: readonly number[];
  readonly seeds: readonly number[];
  readonly reference: number;
  readonly model?: ModelValues;
  readonly federation: AxisValues<typeof federation> & {
    readonly rounds: number;
    readonly strategy?: readonly StrategyOptions[];
    readonly checkpoints?: readonly number[];
  };
  readonly optimizer: readonly OptimizerOptions[];
  readonly partition: AxisValues<typeof PARTITION_OPTIONS> & {
    readonly partitioner?: readonly PartitionerChoice[];
    readonly target_distance?: readonly number[];
  };
  readonly normalise?: AxisValues<typeof SCALING_OPTIONS>["normalise"];
  readonly backend: BackendName;
  readonly tf32?: boolean;
}

const FIELD_KINDS = {
  text: words,
  arrays: z.union([words, z.array(words)], { error: "the name of an array, or a list of names" }),
  names: z.array(words, { error: "a list of names of axes" }),
  whole: whole(1),
};

/** Fields of an entry that say how a file is read and what it is called. */
const FILE_FIELDS = Object.fromEntries(
  Object.entries(FILE_CHOICES).map(([name, { kind }]) => [
    name,
    (typeof kind === "string" ? FIELD_KINDS[kind] : oneOf(kind as readonly string[])).optional(),
  ]),
);

const ENTRY = {
  task: words.optional(),
  train: whole(1).optional(),
  test: z.union([z.number(), z.string()], { error: "a number, a fraction, a range or a file" }).optional(),
  data: z.string({ error: "the name of a file" }).optional(),
  ...FILE_FIELDS,
  ...overridesOf(OWN_OPTIONS),
  model: values.optional(),
} as const;

/** Parameters of the generated data of an entry, each a list of values. */
export function parametersOf(entry: StudyEntry): Readonly<Record<string, readonly OptionValue[]>> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !(name in ENTRY)));
}

/** An entry with the paths of its files changed: the data, those for tests and inputs beside a NPY file. */
export function mapPaths(entry: StudyEntry, change: (field: string, path: string) => string): StudyEntry {
  const { data, test, inputs } = entry;
  const isFile = (word: unknown): word is string => typeof word === "string" && /\.[a-z]\w*$/i.test(word);
  return {
    ...entry,
    ...(data !== undefined && { data: changedPaths(data, (path) => change("data", path)) }),
    ...(isFile(test) && { test: change("test", test) }),
    ...(isFile(inputs) && { inputs: change("inputs", inputs) }),
  };
}

/** A partitioner with the paths among its options changed. */
export function mapPartitionerPaths(
  choice: PartitionerChoice,
  change: (option: string, path: string) => string,
): PartitionerChoice {
  const { options }: { readonly options: Options } = partitionerOf(choice.name);
  const changed = Object.entries(choice).map(([option, value]) => {
    const declared = options[option];
    return [option, declared?.kind === "text" && declared.path ? change(option, String(value)) : value];
  });
  return Object.fromEntries(changed) as PartitionerChoice;
}

/** A path changed; of several with commas between them, each. A name may hold a comma too. */
function changedPaths(text: string, change: (path: string) => string): string {
  const whole = change(text);
  if (existsSync(whole) || !text.includes(",")) return whole;
  return text
    .split(",")
    .map((path) => change(path.trim()))
    .join(",");
}

/** Fields that an entry states though they are those of a file. */
export function fileFieldsOf(entry: StudyEntry): readonly string[] {
  return Object.keys(entry).filter((name) => name in FILE_FIELDS);
}

/** Whether a word is a built-in task, and not the name of a file. */
export const isTask = (name: string | undefined): name is string => name !== undefined && isSource(name);

/** Data to learn from, with parameters of generated ones, and what differs for them from the study's other fields. */
const entry = z
  .object(ENTRY, { error: `a map with the fields ${Object.keys(ENTRY).join(", ")}` })
  .catchall(axis(scalar, "values"))
  .superRefine((given, context) => {
    const { task, data } = given;
    const problem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (data === undefined && !isTask(task)) problem(["task"], `one of ${SOURCE_NAMES.join(", ")}`);
    const declared = isTask(task) && data === undefined ? sourceOf(task).parameters : {};
    for (const [name, values] of Object.entries(given)) {
      if (name in ENTRY) continue;
      if (Object.hasOwn(declared, name)) {
        const odd = (values as readonly OptionValue[]).findIndex((value) => !takes(declared[name], value));
        if (odd >= 0) problem([name, odd], expectedWords(declared[name]));
        continue;
      }
      if (ownersOf(name).length > 0)
        return problem([name], `an option of ${ownersOf(name).join(", ")} alone`);
      return context.addIssue({
        code: "unrecognized_keys",
        keys: [name],
        input: given,
        message: `the fields are ${[...Object.keys(ENTRY), ...Object.keys(declared)].join(", ")}`,
      });
    }
  });

/**
 * A study as its YAML file says it. What is left out has the paper's value where it states one, else ours
 * (docs/readings.md); lists are axes of the grid.
 */
export const specificationSchema: z.ZodType<StudySpecification> = fields({
  name: z.string({ error: "a name" }).regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: "a name of lower-case letters, digits and hyphens",
  }),
  title: words.optional(),
  tasks: listOf(entry, "tasks"),
  alphas: listOf(concentration, "concentrations").default([100, 10, 1, 0.1, 0.01]),
  seeds: listOf(whole(0), "seeds").default([0, 1, 42, 999, 2026]),
  /** Concentration of the near-IID reference that every run is compared with; trained once a seed. */
  reference: concentration.default(DEFAULT_REFERENCE),
  /** The model of all entries that do not state their own. */
  model: values.optional(),
  federation: fields({
    ...axesOf(FEDERATION_OPTIONS),
    rounds: oneValue({ ...rounds, from: 1 }).default(rounds.default),
    strategy: strategies.optional(),
    /** Rounds to measure at, beside the last one; gradients are compared at round 0. */
    checkpoints: listOf(whole(0), "rounds").optional(),
  }).prefault({}),
  optimizer: optimizers.default([optimizerOptions({ name: "adam" })]),
  partition: partition.prefault({}),
  ...overridesOf(SCALING_OPTIONS),
  backend: oneValue(engine.backend).default("onnx"),
  /** Products in TF32, on a GPU alone. */
  tf32: oneValue(engine.tf32).optional(),
}) as never;
