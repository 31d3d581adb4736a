import { FEDERATION_OPTIONS } from "../../federation/federation-options.js";
import { completeOptions, type GivenRunOptions } from "../../federation/run-options.js";
import { propertyOf } from "../../options/option.js";
import { PARTITION_OPTIONS } from "../../partition/partition-options.js";
import { canonicalJson } from "../../records/content-hash.js";
import { readingFields } from "../file-reading.js";
import type { StudioSettings } from "../settings.js";
import type { TrainedData } from "../training/given-run.js";
import { areNamedByTask, givenRuns } from "./training-commands.js";
import { toldOptions } from "./training-flags.js";
import { dataWords } from "./words.js";

/**
 * The study that trains what the page trains: what differs between runs is an axis. Undefined where the runs are not all
 * combinations of what they differ in.
 */
export function trainingStudy(settings: StudioSettings, data: TrainedData): object | undefined {
  const runs = givenRuns(settings, data);
  // What one run says is said of all: a list has each of the values.
  const told = new Set(runs.flatMap((given) => Object.keys(toldOptions(given))));
  const flat = runs.map((given) => fieldsOf(given, told));
  const names = [...new Set(flat.flatMap((fields) => Object.keys(fields)))];
  const axes = names.map((name) => [name, distinct(flat.map((fields) => fields[name]))] as const);
  const combinations = axes.reduce((product, [, values]) => product * values.length, 1);
  const isWordless = axes.some(([, values]) => values.length > 1 && values.includes(undefined));
  if (combinations !== runs.length || isWordless) return undefined;
  const study: Record<string, unknown> = { name: "studio", data: dataField(runs, data) };
  const reference = runs[0].alpha;
  if (typeof reference === "number" && reference !== 100) study.reference = reference;
  for (const [path, values] of axes) {
    const isList = values.length > 1 || LISTS.includes(path);
    if (isList || !isUsual(path, values[0])) place(study, path.split("."), isList ? values : values[0]);
  }
  return study;
}

/** Entries of open lists that a study need not name. */
const USUAL: Readonly<Record<string, string>> = {
  "federation.strategy": "fedavg",
  "partition.partitioner": "dirichlet",
  optimizer: "adam",
};
const isUsual = (path: string, value: unknown): boolean =>
  path in USUAL &&
  [USUAL[path], canonicalJson({ name: USUAL[path] })].includes(
    typeof value === "string" ? value : canonicalJson(value),
  );

/** Fields that are lists even of one value. */
const LISTS = ["alphas", "seeds"];

/** What a run says, by the path of its field in a study. */
function fieldsOf(given: GivenRunOptions, told: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const { alpha, seed, strategy, partitioner, optimizer, model = {}, rounds } = given;
  const fields: Record<string, unknown> = {
    ...(typeof alpha === "number" && { alphas: alpha }),
    seeds: seed,
    "federation.rounds": rounds,
  };
  const options = completeOptions(given);
  for (const name of told) {
    const value =
      options[propertyOf(name) as keyof typeof options] ??
      (name === "participation" ? options.clients : undefined); // all of them
    const group = name in PARTITION_OPTIONS ? "partition." : name in FEDERATION_OPTIONS ? "federation." : "";
    fields[group + name] = value;
  }
  const entry = (path: string, choice: { readonly name: string } | undefined, usual: string) => {
    const { name, ...values } = choice ?? { name: usual };
    // An optimiser is always a map.
    fields[path] = Object.keys(values).length === 0 && path !== "optimizer" ? name : { name, ...values };
  };
  entry("federation.strategy", strategy, USUAL["federation.strategy"]);
  entry("partition.partitioner", partitioner, USUAL["partition.partitioner"]);
  entry("optimizer", optimizer, USUAL.optimizer);
  for (const [name, value] of Object.entries(model)) fields[`model.${name}`] = value;
  return fields;
}

/** Different values in the order in which they come. */
function distinct(values: readonly unknown[]): readonly unknown[] {
  const texts = values.map((value) => (value === undefined ? "" : canonicalJson(value)));
  return values.filter((_, i) => texts.indexOf(texts[i]) === i);
}

function place(study: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) study[first] = value;
  else {
    study[first] ??= {};
    place(study[first] as Record<string, unknown>, rest, value);
  }
}

/** A task where it has the seed of the runs, else a file that `generate` makes; a user's file as it is read. */
function dataField(runs: readonly GivenRunOptions[], data: TrainedData): object {
  const { origin, description } = data;
  if (origin.kind === "file") return { file: origin.name, ...readingFields(origin.reading) };
  if (!areNamedByTask(runs, data)) return { file: dataWords(origin).file };
  const { task, train, test, parameters } = origin.options;
  return {
    task,
    ...(train !== undefined && { train: description.train }),
    ...(test !== undefined && { test: description.test }),
    ...parameters,
  };
}
