import { SOURCE_NAMES } from "../datasets/sources.js";
import { choice, type OptionValue, realNumber, text, type ValuesOf, wholeNumber } from "../options/option.js";
import { LARGEST_ALPHA, PARTITION_OPTIONS, SMALLEST_ALPHA } from "../partition/partition-options.js";
import { DEFAULT_PARTITIONER, PARTITIONER_NAMES } from "../partition/partitioners.js";

/** The views of the page, in the order of its tabs. */
export const VIEWS = ["data", "solutions", "clients", "training", "studies"] as const;
export type View = (typeof VIEWS)[number];

/** The ends of the dial for alpha; its box takes any alpha. */
export const DIAL = { least: 1e-3, most: 1e3 } as const;

/** What colours points and clients on the map of solutions. */
export const COLORINGS = ["bin", "client"] as const;

/** How the results of a study are shown. */
export const RESULTS = ["plots", "table", "figures"] as const;

/** What colours of a picture span: the values of all samples, or those of each sample. */
export const SCALES = ["data", "sample"] as const;

/** The value of `bin` with which the bin of the sample is chosen. */
export const FOLLOWS_SAMPLE = -1;

/** What is shown of two clients: how one histogram flows to the other, or their mean solutions. */
export const COMPARISONS = ["flows", "means"] as const;

/**
 * Everything that a person can set in the page, each declared once. The address of the page holds all that differs from
 * the defaults, so a link shows the same thing to somebody else.
 */
export const STUDIO_OPTIONS = {
  view: choice(VIEWS, { default: "data", help: "the view that is open" }),
  // Data
  task: choice(["", ...SOURCE_NAMES], { default: "antiderivative", help: "built-in task; empty for a file" }),
  file: text({
    default: "",
    expected: "a path below the folder that is open",
    help: "file of data on the server",
  }),
  data_seed: wholeNumber({ from: 0, default: 42, help: "seed of generated data" }),
  train_samples: wholeNumber({
    from: 0,
    default: 0,
    help: "training samples to generate; 0 for the task's own number",
  }),
  test_samples: wholeNumber({
    from: 0,
    default: 0,
    help: "test samples to generate; 0 for the task's own number",
  }),
  sample: wholeNumber({ from: 0, default: 0, help: "the sample that is shown" }),
  half: choice(["train", "test"], { default: "train", help: "samples for training or for testing" }),
  channel: text({
    default: "",
    expected: "a label or number of a channel",
    help: "the channel that is drawn; empty for all of them",
  }),
  frame: wholeNumber({
    from: -1,
    default: -1,
    help: "the frame of a trajectory that is drawn; -1 for the last",
  }),
  slice: text({
    default: "",
    expected: "planes such as z=16,y=3",
    help: "planes through volumes; the middle ones by default",
  }),
  scale: choice(SCALES, { default: "data", help: "which samples share their colours" }),
  // Split
  alpha: realNumber({
    from: SMALLEST_ALPHA,
    to: LARGEST_ALPHA,
    default: 0.1,
    help: "Dirichlet concentration",
  }),
  clients: wholeNumber({ from: 2, default: 10, help: "number of clients K" }),
  bins: PARTITION_OPTIONS.bins,
  seed: wholeNumber({ from: 0, default: 42, help: "seed of bins and split" }),
  min_size: wholeNumber({
    from: 0,
    default: 0,
    help: "minimum samples per client; 0 for the data's default",
  }),
  repair: PARTITION_OPTIONS.repair,
  partitioner: choice(PARTITIONER_NAMES, { default: DEFAULT_PARTITIONER, help: "how samples are split" }),
  color: choice(COLORINGS, { default: "bin", help: "what colours the points of the map" }),
  bin: wholeNumber({
    from: FOLLOWS_SAMPLE,
    default: FOLLOWS_SAMPLE,
    help: "the bin whose members are shown; -1 for the bin of the sample",
  }),
  part: wholeNumber({
    from: 0,
    default: 0,
    help: "channel, frame or slice by which bins and predictions are shown, from 1; 0 for the one that suits the data",
  }),
  pair: text({
    default: "0,1",
    expected: "two clients such as 0,1",
    help: "clients whose transport plan is shown",
  }),
  compare: choice(COMPARISONS, { default: "flows", help: "what is shown of the two clients" }),
  // Training
  runs: text({
    default: "alpha=100;alpha=0.1;alpha=0.01",
    expected: "runs that differ, such as alpha=100;alpha=0.1 or strategy=scaffold",
    help: "runs that are trained side by side",
  }),
  rounds: wholeNumber({ from: 1, default: 200, help: "rounds to train" }),
  local_steps: wholeNumber({ from: 1, default: 5, help: "local optimiser steps in a round" }),
  batch: wholeNumber({ from: 0, default: 0, help: "samples of a local batch; 0 for the model's own number" }),
  size: choice(["page", "usual"], {
    default: "page",
    help: "models as small as a page trains quickly, or as the commands have them",
  }),
  detail: wholeNumber({
    from: 0,
    default: 0,
    help: "the run whose prediction and updates are shown, from 0",
  }),
  curves: choice(["log", "linear"], { default: "log", help: "scale of live curves" }),
  drift: choice(["d_theta", "d_loc"], { default: "d_theta", help: "the drift that is drawn" }),
  // Studies
  study: text({ default: "", expected: "a path below the folder that is open", help: "folder of a study" }),
  along: text({
    default: "",
    expected: "a setting of the study",
    help: "setting that results are compared along",
  }),
  metric: text({ default: "", expected: "a column of the records", help: "measure that is drawn" }),
  filter: text({
    default: "",
    expected: "settings such as task=burgers;alpha=0.1",
    help: "runs that are shown",
  }),
  checkpoint: text({
    default: "last",
    expected: "last, all or a round that was measured",
    help: "round at which results are compared",
  }),
  results: choice(RESULTS, { default: "plots", help: "how results are shown" }),
  run: text({ default: "", expected: "the name of a run", help: "the run whose journal is open" }),
} as const;

type Declared = ValuesOf<typeof STUDIO_OPTIONS>;

/** All settings of the page, as plain data. */
export interface StudioSettings extends Declared {
  /** Parameters of the task that differ from its defaults: `{ viscosity: 0.01 }`. */
  readonly parameters: Readonly<Record<string, OptionValue>>;
  /** Options of the partitioner that differ from its defaults: `{ shards: 2 }`. */
  readonly split: Readonly<Record<string, OptionValue>>;
  /** How the file is read, where a person chose: `{ responses: "u[:, -1]" }`. */
  readonly reading: Readonly<Record<string, OptionValue>>;
  /** Settings of all runs that have no place of their own: `{ strategy: "fedprox", mu: 0.1, rate: 0.01 }`. */
  readonly training: Readonly<Record<string, OptionValue>>;
}

export const DEFAULT_SETTINGS: StudioSettings = {
  ...(Object.fromEntries(
    Object.entries(STUDIO_OPTIONS).map(([name, option]) => [name, option.default]),
  ) as unknown as Declared),
  parameters: {},
  split: {},
  reading: {},
  training: {},
};
