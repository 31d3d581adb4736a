import { z } from "zod";
import { AXIS_ENDS } from "../datasets/array-axes.js";
import { TASK_NAMES, taskOf } from "../datasets/tasks.js";
import { VISCOSITY_RANGE } from "../equations/burgers.js";
import { NORMALISATIONS } from "../federation/run-options.js";
import { REPAIR_RULES, type RepairRule } from "../partition/repair.js";
import { DEFAULT_REFERENCE } from "./default-reference.js";

/** Every schema's error is what the value should have been; the reader makes a line of it. */
const whole = (from: number) => z.int({ error: wholeError(from) }).min(from, { error: wholeError(from) });
const wholeError =
  (from: number) =>
  ({ input }: { readonly input?: unknown }) =>
    Number(input) > Number.MAX_SAFE_INTEGER
      ? `a whole number from ${from} to ${Number.MAX_SAFE_INTEGER}`
      : `a whole number from ${from} on`;
const between = (low: number, high: number) => {
  const error = `a number from ${low} to ${high}`;
  return z.number({ error }).min(low, { error }).max(high, { error });
};
const oneOf = <T extends string>(values: readonly T[]) =>
  z.enum(values as [T, ...T[]], { error: `one of ${values.join(", ")}` });
const fields = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      `${code === "unrecognized_keys" ? "the fields are" : "a map with the fields"} ${Object.keys(shape).join(", ")}`,
  });

/** A list without repetitions, with something in it. */
const listOf = <T extends z.ZodType>(item: T, what: string) =>
  z
    .array(item, { error: `a list of ${what}` })
    .min(1, { error: `a non-empty list of ${what}` })
    .refine((values) => new Set(values.map((value) => JSON.stringify(value))).size === values.length, {
      error: `a list of ${what} without repetitions`,
    });

/** One value, or a list of them: an axis of the study. */
const axis = <T extends z.ZodType>(item: T, what: string) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), listOf(item, what));

/** Parameters of tasks. */
const PARAMETERS = {
  viscosity: between(...VISCOSITY_RANGE).optional(),
  grid: whole(8).optional(),
  beta: between(1e-6, 1e6).optional(),
  variant: z.string({ error: "a name" }).optional(),
  stride: whole(1).optional(),
};

const optimizer = z.discriminatedUnion(
  "name",
  [
    fields({ name: z.literal("adam"), rate: between(1e-12, 1e3).default(1e-3) }),
    fields({
      name: z.literal("sgd"),
      rate: between(1e-12, 1e3).default(1e-2),
      momentum: between(0, 1).default(0.9),
    }),
  ],
  { error: ({ code }) => (code === "invalid_union" ? "adam or sgd" : "a map with a name and a rate") },
);

/** A task, its parameters (those of `generate`), and what differs for it from the study's other fields. */
const task = fields({
  task: oneOf(TASK_NAMES),
  /** Numbers of samples; the paper's unless told otherwise. */
  train: whole(1).optional(),
  test: whole(1).optional(),
  /**
   * An HDF5 file of `import` or `generate` to train on; data are generated if there is none. A relative path is one from
   * the folder of the YAML.
   */
  data: z.string({ error: "the name of a file" }).optional(),
  /** Where samples and channels are in the arrays of that file, where their shapes do not tell. */
  sample_axis: oneOf(AXIS_ENDS).optional(),
  channels: oneOf(AXIS_ENDS).optional(),
  batch: whole(1).optional(),
  min_size: whole(1).optional(),
  normalise: oneOf(NORMALISATIONS).optional(),
  /** Sizes and options of the model. */
  model: z
    .record(z.string(), z.union([z.number(), z.string()], { error: "a number or a word" }), {
      error: "a map of numbers and words",
    })
    .optional(),
  ...PARAMETERS,
}).superRefine((entry, context) => {
  for (const name of Object.keys(PARAMETERS)) {
    if (entry[name as keyof typeof entry] === undefined || name in taskOf(entry.task).parameters) continue;
    const owners = TASK_NAMES.filter((one) => name in taskOf(one).parameters);
    context.addIssue({ code: "custom", path: [name], message: `an option of ${owners.join(", ")} alone` });
  }
});

/**
 * A study as its YAML file says it. What is left out has the paper's value where it states one, else ours
 * (docs/readings.md); lists are axes of the grid.
 */
export const specificationSchema = fields({
  name: z.string({ error: "a name" }).regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: "a name of lower-case letters, digits and hyphens",
  }),
  title: z.string({ error: "a line of text" }).optional(),
  tasks: listOf(task, "tasks"),
  alphas: listOf(between(1e-6, 1e9), "concentrations").default([100, 10, 1, 0.1, 0.01]),
  seeds: listOf(whole(0), "seeds").default([0, 1, 42, 999, 2026]),
  /** Concentration of the near-IID reference that every run is compared with; trained once a seed. */
  reference: between(1e-6, 1e9).default(DEFAULT_REFERENCE),
  federation: fields({
    clients: axis(whole(2), "numbers of clients").default([10]),
    rounds: whole(1).default(1000),
    local_steps: whole(1).default(5),
    /** Samples of a step; 64 for DeepONets and 16 for others unless told otherwise. */
    batch: whole(1).optional(),
    client_state: oneOf(["keep", "reset", "average"]).default("keep"),
    /** Rounds to measure at, beside the last one; gradients are compared at round 0. */
    checkpoints: listOf(whole(0), "rounds").optional(),
  }).prefault({}),
  optimizer: axis(optimizer, "optimizers")
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: "a list of optimizers with different names",
    })
    .default([{ name: "adam", rate: 1e-3 }]),
  partition: fields({
    bins: whole(1).default(10),
    min_size: whole(1).optional(),
    repair: oneOf<RepairRule>(REPAIR_RULES).default("closest"),
  }).prefault({}),
  backend: oneOf(["onnx", "reference"]).default("onnx"),
  /** Products in TF32, on a GPU alone. */
  tf32: z.boolean({ error: "true or false" }).optional(),
});

export type StudySpecification = z.output<typeof specificationSchema>;
