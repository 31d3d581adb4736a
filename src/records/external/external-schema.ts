import { z } from "zod";

/** The name and version of the layout of a run that another program trained. */
export const EXTERNAL_SCHEMA = "pde-dirichlet/external-run/1";

/** The folder, in that of a study or beside its `runs`, in which such runs lie. */
export const EXTERNAL_FOLDER = "elsewhere";
export const EXTERNAL_SUFFIX = ".jsonl";

/** A number that may be unknown: Python writes NaN, and its readers null. */
const known = z.number().nullish();
/** One number per client, or per bin; null where it is unknown. */
const each = z.array(z.number().nullable()).optional();

/** Fields of the first line that are no settings. */
const FIXED = {
  task: z.string().min(1),
  seed: z.int().nonnegative(),
  alpha: z.number().positive().nullish(),
  title: z.string().optional(),
  /** The name in reports for what a study is elsewhere. */
  study: z.string().min(1).optional(),
  /** Path of a partition file, relative to this one. */
  partition: z.string().min(1).optional(),
  /** The split in words, where no partition file says it. */
  split: z.string().min(1).optional(),
  /** Training samples per client. */
  sizes: z.array(z.int().nonnegative()).min(1).optional(),
  /** Rounds that the run should reach. */
  rounds: z.int().nonnegative().optional(),
  /** Bytes that all participants of a round receive and send. */
  communication: z.number().nonnegative().optional(),
} as const;

const setting = z.union([z.string(), z.number(), z.boolean()], {
  error: "a setting is a string, a number or true or false",
});

/** The first line: what tells the run apart. */
export const headerSchema = z.looseObject({
  schema: z.string().optional(),
  run: z.object(FIXED).catchall(setting.nullish()),
});

/** A line per checkpoint, in the order of rounds. Other fields pass: trackers take the numbers among them. */
export const checkpointSchema = z.looseObject({
  round: z.int().nonnegative(),
  test_error: known,
  train_loss: known,
  d_loc: known,
  clients: z.object({ test_error: each, train_loss: each, update: each, cosine: each }).optional(),
  bins: z.object({ test_error: each }).optional(),
  /** NPZ files, relative to this one: the server's parameters, and the full gradient of every client. */
  parameters: z.string().min(1).optional(),
  gradients: z.string().min(1).optional(),
});

/** The last line of a run that ended without a result: why. */
export const failureSchema = z.object({ failed: z.string() });

export type ExternalCheckpoint = z.infer<typeof checkpointSchema>;
export type ExternalHeader = z.infer<typeof headerSchema>["run"];

/** Names of the first line that are no settings. */
export const FIXED_NAMES: readonly string[] = Object.keys(FIXED);
