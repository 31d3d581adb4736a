import { z } from "zod";
import { FormatError } from "../errors.js";
import { PARTITION_RULES } from "../partition/assignment.js";
import { RANDOM_ALGORITHM } from "../random/stream.js";
import { canonicalJson, sha256 } from "./content-hash.js";
import { checkOwnDigest, ownDigest } from "./own-digest.js";
import { recordedTask } from "./recorded-task.js";
import { trainingParts } from "./training-parts.js";

/** The name and version of `run.json`'s layout. */
export const RUN_SCHEMA = "pde-dirichlet/run/4";
/** Earlier layouts: the third has no `settings`, the second no `sha256` either. */
const THIRD_SCHEMA = "pde-dirichlet/run/3";
/** The second is also part of what a run's name is a hash of, for ever. */
const SECOND_SCHEMA = "pde-dirichlet/run/2";

const wholeNumber = z.int().nonnegative();
const wholeNumbers = z.array(wholeNumber);

const scalar = z.union([z.number(), z.string(), z.boolean()]);
const scalars = z.record(z.string(), scalar);

/** Options that every version has recorded; others are kept as they are, by name. */
const optionsSchema = z.looseObject({
  task: z.string(),
  parameters: z.record(z.string(), z.union([z.number(), z.string()])),
  data: z
    .looseObject({
      file: z.string(),
      origin: z.string(),
      sha256: z.string(),
      /** Where samples and channels are, if not along the first axis. */
      sample_axis: z.string().optional(),
      channels: z.string().optional(),
    })
    .nullable(),
  train: wholeNumber,
  test: wholeNumber,
  /** Null where a partitioner or a target distance takes its place. */
  alpha: z.number().nullable(),
  /** Absent for the paper's partitioner. */
  partitioner: z.looseObject({ name: z.string() }).optional(),
  target_distance: z.number().optional(),
  seed: wholeNumber,
  data_seed: wholeNumber,
  clients: wholeNumber,
  bins: wholeNumber,
  min_size: wholeNumber,
  repair: z.string(),
  rounds: wholeNumber,
  local_steps: wholeNumber,
  batch: wholeNumber,
  normalise: z.string(),
  client_state: z.string(),
  backend: z.string(),
  threads: wholeNumber,
  optimizer: z.looseObject({ name: z.string(), rate: z.number() }),
  /** Absent for federated averaging. */
  strategy: z.looseObject({ name: z.string() }).optional(),
  model: scalars,
  checkpoints: wholeNumbers,
});

/** What became of a run; `run.json` closes with it. */
const resultSchema = z.object({
  round: wholeNumber,
  test_error: z.number(),
  train_loss: z.number(),
  /** Of the final parameters as little-endian float32. */
  parameters_sha256: z.string(),
  /** Seconds of training, without pauses between interruption and resumption. */
  seconds: z.number(),
  finished: z.string(),
  /** SHA-256 of the files beside `run.json`. */
  files: z.record(z.string(), z.string()),
});

export const runSchema = z.object({
  schema: z.enum([RUN_SCHEMA, THIRD_SCHEMA, SECOND_SCHEMA]),
  id: z.string(),
  status: z.enum(["running", "finished"]),
  made_with: z.looseObject({
    name: z.string(),
    version: z.string(),
    random: z.string(),
    /** The rules by which the partition was drawn; records that do not say are of the first version. */
    partition: z.string().default("pde-dirichlet/partition/1"),
  }),
  hardware: z.record(z.string(), z.union([z.string(), z.number()])),
  started: z.string(),
  options: optionsSchema,
  /** What tells the run apart, by recorded name (`Settings`); earlier records leave it to their options. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Names in `settings` whose values are not the defaults that held when the run was made. */
  overrides: z.array(z.string()).optional(),
  data: z.object({
    task: z.string(),
    /** How reports call the data; earlier records have none. */
    title: z.string().optional(),
    /** What inputs and responses of a file are, if it or its user says so. */
    inputs: z.looseObject({ label: z.string(), unit: z.string().optional() }).optional(),
    responses: z.looseObject({ label: z.string(), unit: z.string().optional() }).optional(),
    origin: z.string(),
    parameters: z.record(z.string(), z.union([z.number(), z.string()])),
    seed: wholeNumber,
    input_shape: wholeNumbers,
    response_shape: wholeNumbers,
    /** SHA-256 of the float32 arrays that were trained on and tested with. */
    sha256: z.record(z.string(), z.string()),
  }),
  architecture: z.looseObject({ name: z.string(), parameters: wholeNumber }),
  /** Bytes that all participants of a round receive and send; earlier records have none. */
  communication: z.object({ down: z.number(), up: z.number() }).optional(),
  partition: z.object({
    bins_sha256: z.string(),
    scale: z.number(),
    sizes: wholeNumbers,
    counts: z.array(wholeNumbers),
    repairs: z.int().nonnegative(),
    /** The split in words, such as `shards 2`. */
    split: z.string().optional(),
    /** The concentration that a target distance led to. */
    alpha: z.number().optional(),
    metrics: z.record(z.string(), z.number().nullable()),
    notes: z.array(z.string()),
  }),
  result: resultSchema.optional(),
  /** Of all the rest (`ownDigest`); records of the earlier layout have none. */
  sha256: z.string().optional(),
});

/** A run without its arrays: everything that the paper's reproducibility paragraph lists, and where it was run. */
export type RunRecord = Omit<z.infer<typeof runSchema>, "sha256">;
/** A run's options under the names that they have in files. */
export type RecordedOptions = RunRecord["options"];
export type RunResult = z.infer<typeof resultSchema>;

/**
 * The name of a run: readable, and closed by a hash of everything that determines its result. Equal options give the
 * same name in every study, so that a run is made once. `rules` are those by which partitions are drawn.
 */
export async function runId(options: RecordedOptions, rules: string = PARTITION_RULES): Promise<string> {
  const { parameters, seed, clients, optimizer, data } = options;
  const { viscosity = null } = parameters;
  const words = [
    recordedTask(options),
    ...(viscosity === null ? [] : [`nu-${viscosity}`]),
    `k-${clients}`,
    optimizer.name,
    ...trainingParts(options),
    ...splitParts(options),
    `seed-${seed}`,
  ];
  // The hash is over the first layout of options, which named the viscosity apart.
  const determining = { ...options, viscosity, data: data && contentOf(data) };
  const versions = rules === "pde-dirichlet/partition/1" ? [] : [rules];
  const text = canonicalJson([SECOND_SCHEMA, RANDOM_ALGORITHM, ...versions, determining]);
  const hash = await sha256(new TextEncoder().encode(text));
  return `${words.join("-")}-${hash.slice(0, 10)}`;
}

/** How the samples are split, as words of a name: `alpha-0.1`, `shards`, `client-dirichlet-alpha-0.1`, `distance-0.8`. */
function splitParts({ partitioner, alpha, target_distance: distance }: RecordedOptions): string[] {
  return [
    ...(partitioner ? [partitioner.name] : []),
    ...(alpha === null ? [] : [`alpha-${alpha}`]),
    ...(distance === undefined ? [] : [`distance-${distance}`]),
  ];
}

/** What tells files apart: their contents and how their arrays are read, not where they lie or what they are called. */
function contentOf(data: NonNullable<RecordedOptions["data"]>): unknown {
  const { file: _, origin: __, sha256, sample_axis, channels, ...reading } = data;
  if (Object.keys(reading).length > 0)
    return JSON.parse(JSON.stringify({ sha256, sample_axis, ...reading }, withoutPaths));
  const isReordered = sample_axis !== undefined || channels !== undefined;
  return isReordered ? [sha256, sample_axis ?? null, channels ?? null] : sha256;
}

/** Leaves out the names of files, whose hashes stand beside them, and words. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === "file" || key === "chosen" ? undefined : value;
}

/** Whether a record has a digest of its own, so that nothing in it can have changed. */
export function hasDigest({ schema }: Pick<RunRecord, "schema">): boolean {
  return schema !== SECOND_SCHEMA;
}

/** The text of `run.json`: one line a field, so that a diff of two runs can be read. It closes with its digest. */
export async function runJson(record: RunRecord): Promise<string> {
  const fields = Object.entries({ ...record, sha256: await ownDigest(record) });
  const lines = fields.map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Reads `run.json`; one that does not say what was written is a `FormatError`. */
export async function parseRun(text: string, name: string): Promise<RunRecord> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FormatError(`${name} is not JSON (truncated?)`);
  }
  const parsed = runSchema.safeParse(json);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    throw new FormatError(`${name} is not the record of a run: ${path.join(".") || "the whole"}: ${message}`);
  }
  const { sha256: _, ...record } = parsed.data;
  await checkOwnDigest(json as object, { name, required: hasDigest(record), mend: MEND_RUN });
  return record;
}

/** What to do about a finished run whose files are not what was written. */
export const MEND_RUN = "restore a copy, or delete the run's folder and run the same study again";
