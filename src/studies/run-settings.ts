import { chosenModel, plannedModel } from "../federation/chosen-model.js";
import { OPTIMIZERS } from "../federation/optimizer-options.js";
import { completeOptions, RUN_OPTIONS, type RunOptions } from "../federation/run-options.js";
import { modelOf } from "../models/models.js";
import { type Option, propertyOf, withDefaults } from "../options/option.js";
import { isSimulated } from "../records/recorded-task.js";
import type { RecordedSettings, Settings, SettingValue } from "../records/settings.js";
import { recordedPartitioner, recordedValue, recordedWindows } from "./recorded-options.js";

/** Options that say how long and by how many threads, not what is trained. */
const UNTOLD: readonly string[] = ["rounds", "threads"];

/**
 * What tells a run from others, by recorded name, and the names of those values that are not the defaults for its data.
 * A run keeps both in its record, so that nobody needs the defaults of its time to describe it.
 */
export function runSettings(options: RunOptions): RecordedSettings {
  const { task, data, alpha, seed } = options;
  const settings = settingsNow(options);
  const usual = settingsNow(completeOptions({ task, data, alpha, seed }));
  const alike = settingsNow(completeOptions({ task, data, alpha, seed, ...leadingOptions(options) }));
  // Values that a leading option brings along are defaults, and no overrides.
  const isOverride = (name: string) =>
    settings[name] !== usual[name] && (LEADING.includes(name) || settings[name] !== alike[name]);
  return { settings, overrides: Object.keys(settings).filter(isOverride) };
}

/** Options that defaults of others depend on: the model's sizes, the optimiser's rate, a client's minimum size and weight. */
const LEADING: readonly string[] = ["model", "optimizer", "strategy", "clients", "partitioner", "sampling"];

/** The number of clients, the sampling, and model, optimiser, strategy and partitioner by their names alone. */
function leadingOptions(options: RunOptions) {
  const { name } = chosenModel(options);
  return {
    clients: options.clients,
    sampling: options.sampling,
    model: { name },
    optimizer: { name: options.optimizer.name },
    ...(options.strategy && { strategy: { name: options.strategy.name } }),
    ...(options.partitioner && { partitioner: { name: options.partitioner.name } }),
  };
}

function settingsNow(options: RunOptions): Settings {
  const { data, parameters, train, test, seed, dataSeed, optimizer } = options;
  const { name: optimizerName, ...optimizerOptions } = optimizer;
  const isImported = data !== undefined && !isSimulated(data);
  const hasOwnSeed =
    data === undefined && dataSeed !== completeOptions({ ...options, dataSeed: undefined }).dataSeed;
  return known({
    train,
    test,
    data_seed: hasOwnSeed && dataSeed !== seed ? dataSeed : undefined,
    ...parameters,
    ...declared(options),
    ...partitionerSettings(options),
    optimizer: optimizerName,
    ...withDefaults(OPTIMIZERS[optimizerName].options, optimizerOptions),
    ...strategySettings(options),
    ...modelSettings(options),
    data: isImported ? data.sha256.slice(0, 8) : undefined,
    sample_axis: data?.sampleAxis,
    channels: data?.channels,
    ...(data && recordedWindows(data)),
  });
}

/** The strategy and its options, where it is not federated averaging. */
function strategySettings({ strategy }: RunOptions): Record<string, SettingValue | undefined> {
  if (!strategy) return {};
  const { name, ...values } = strategy;
  return { strategy: name, ...values };
}

/** The partitioner and its options, where it is not the paper's; the concentration stands apart. */
function partitionerSettings({
  partitioner,
  targetDistance,
}: RunOptions): Record<string, SettingValue | undefined> {
  if (!partitioner) return { target_distance: targetDistance };
  const { name, sha256: _, ...values } = recordedPartitioner(partitioner);
  return { partitioner: name, ...values, target_distance: targetDistance };
}

function declared(options: RunOptions): Record<string, SettingValue | undefined> {
  const told = Object.entries<Option>(RUN_OPTIONS).filter(([name]) => !UNTOLD.includes(name));
  return Object.fromEntries(
    told.map(([name, option]) => [
      name,
      recordedValue(option, options[propertyOf(name) as keyof RunOptions]) as SettingValue | undefined,
    ]),
  );
}

/** The model's name and all its options, as it is built. */
function modelSettings(options: RunOptions): Record<string, SettingValue | undefined> {
  const { name, options: given } = chosenModel(options);
  const { architecture } = plannedModel(options);
  const values = Object.entries(modelOf(name).options).map(([option, { default: usual }]) => [
    option,
    architecture[option] ?? given[option] ?? usual,
  ]);
  return { model: architecture.name, ...Object.fromEntries(values) };
}

function known(values: Readonly<Record<string, SettingValue | undefined>>): Settings {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, SettingValue] => entry[1] !== undefined),
  );
}
