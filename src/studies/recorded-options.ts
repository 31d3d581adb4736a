import { basename } from "node:path";
import type { FileArray, FileData } from "../datasets/dataset.js";
import { TRAJECTORY } from "../datasets/files/sample-groups.js";
import { RUN_OPTIONS, type RunOptions } from "../federation/run-options.js";
import { type Option, propertyOf } from "../options/option.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import type { RecordedOptions } from "../records/run-record.js";
import { mapPartitionerPaths } from "./specification.js";

/** Options of a run under the names that they have in files. */
export function recordedOptions(options: RunOptions): RecordedOptions {
  const { task, parameters, data, train, test, alpha, seed, dataSeed, optimizer, model, checkpoints } =
    options;
  return {
    ...declaredValues(options),
    task,
    parameters: { ...parameters },
    data: data ? recordedData(data) : null,
    train,
    test,
    alpha,
    ...(options.partitioner && { partitioner: recordedPartitioner(options.partitioner) }),
    ...(options.targetDistance !== undefined && { target_distance: options.targetDistance }),
    ...(options.costSha256 !== undefined && { cost_sha256: options.costSha256 }),
    seed,
    data_seed: dataSeed,
    optimizer: { ...optimizer },
    ...(options.strategy && { strategy: { ...options.strategy } }),
    model: { ...model },
    checkpoints: [...checkpoints],
  };
}

/** Declared options by recorded name; one that came later is absent at its default. */
function declaredValues(options: RunOptions) {
  const entries = Object.entries<Option>(RUN_OPTIONS).map(
    ([name, option]) => [name, recordedValue(option, options[propertyOf(name) as keyof RunOptions])] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RecordedOptions;
}

/** A value with the name of a file, not where it lies. */
export const recordedValue = <T>(option: Option, value: T): T | string =>
  option.kind === "text" && option.path && typeof value === "string" ? basename(value) : value;

/** A partitioner with the names of its files, not where they lie. */
export const recordedPartitioner = (choice: PartitionerChoice): PartitionerChoice =>
  mapPartitionerPaths(choice, (_, path) => basename(path));

function recordedData(data: FileData): RecordedOptions["data"] {
  const { file, origin, sha256, sampleAxis, channels, inputs, responses, testing, coordinates } = data;
  const axes = {
    ...(sampleAxis && { sample_axis: sampleAxis }),
    ...(channels && { channels }),
    ...recordedWindows(data),
  };
  if (!inputs || !responses) return { file, origin, sha256, ...axes };
  const own = { inputs: storedArray(inputs), responses: storedArray(responses) };
  return {
    ...{ file, origin, sha256, ...axes, ...own },
    ...(testing && { testing }),
    ...(coordinates && { coordinates }),
  };
}

/** How trajectories are cut and which samples stay together, where it is not what windows have by default. */
export function recordedWindows({ windows, windowStep, group }: FileData): {
  readonly window_step?: number;
  readonly group?: string;
} {
  const usual = windows === undefined ? undefined : TRAJECTORY;
  return {
    ...(windowStep !== undefined && windowStep !== 1 && { window_step: windowStep }),
    ...(group !== usual && { group: group ?? "none" }),
  };
}

/** Where an array lies and how its axes are read; what it is called does not matter for a run. */
function storedArray({ label: _, unit: __, axes, ...stored }: FileArray) {
  return { ...stored, axes: axes.map(({ kind }) => kind).join(" ") };
}
