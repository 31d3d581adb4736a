import { canonicalJson } from "./content-hash.js";
import { EARLIER_OPTIMIZERS, EARLIER_TASKS } from "./earlier-defaults.js";
import { isSimulated } from "./recorded-task.js";
import type { RecordedOptions, RunRecord } from "./run-record.js";

export type SettingValue = string | number | boolean;

/**
 * What tells runs apart, by recorded name: parameters of the data, options of partition, model and training. Not among
 * them are concentration, seed, rounds and threads.
 */
export type Settings = Readonly<Record<string, SettingValue>>;

export interface RecordedSettings {
  readonly settings: Settings;
  /** Names in `settings` whose values are not the defaults that held when the run was made. */
  readonly overrides: readonly string[];
}

/** The override of rows whose other settings their table does not tell. */
export const UNKNOWN_OPTIONS = "unknown_options";

/** One text for equal settings, whatever the order of their names. `also` names what else tells two things apart. */
export function settingKey(settings: Settings, ...also: readonly (string | number)[]): string {
  return canonicalJson([settings, ...also]);
}

/** The settings of a run: as its record states them, or as the options of an earlier record give them. */
export function settingsOf({ settings, overrides, options }: RunRecord): RecordedSettings {
  return settings ? { settings, overrides: overrides ?? [] } : settingsOfOptions(options);
}

/** The settings of options of versions whose records state none; only the frozen defaults of these versions are used. */
export function settingsOfOptions(options: RecordedOptions): RecordedSettings {
  const { task, data, data_seed, seed, parameters } = options;
  const earlier = EARLIER_TASKS[task];
  const imported = data !== null && !isSimulated(data);
  const { name, ...optimizer } = options.optimizer as { name: string } & Settings;
  const { model, depth, width, ...modelOptions } = modelSettings(earlier?.settings ?? {});
  const { train, test, clients, bins, min_size, repair, local_steps, batch } = options;
  const { normalise, client_state, backend, tf32 } = options;
  const settings = known({
    train,
    test,
    data_seed: imported || data_seed === (earlier?.dataSeed ?? seed) ? undefined : data_seed,
    // A file says what its parameters are; only this one was ever recorded with its runs' rows.
    ...(imported ? { viscosity: parameters.viscosity } : parameters),
    clients,
    bins,
    min_size,
    repair,
    local_steps,
    batch,
    optimizer: name,
    ...optimizer,
    normalise,
    model,
    width,
    depth,
    ...modelOptions,
    ...options.model,
    client_state,
    backend,
    tf32: tf32 ? true : undefined,
    data: imported ? data.sha256.slice(0, 8) : undefined,
    sample_axis: data?.sample_axis,
    channels: data?.channels,
  });
  return { settings, overrides: earlierOverrides(task, settings) };
}

/** Names of settings that are not the earlier defaults; none for a task that these do not know. */
export function earlierOverrides(task: string, settings: Settings): string[] {
  const earlier = EARLIER_TASKS[task];
  if (!earlier) return [];
  const optimizer = EARLIER_OPTIMIZERS[String(settings.optimizer)] ?? {};
  const usual: Settings = { ...earlier.settings, ...earlier.parameters, ...optimizer };
  const imported = "data" in settings;
  const isFree = (name: string) => imported && name in earlier.parameters;
  return Object.keys(settings).filter((name) => settings[name] !== usual[name] && !isFree(name));
}

const LATER_NAMES = ["normalisation", "activation", "trunk_output", "coordinates", "initialiser"];

/** The model and its options among a task's settings. */
function modelSettings(settings: Settings): Record<string, SettingValue> {
  const names = ["model", "width", "depth", "modes", "layers", "projection", "padding"];
  const own = [...names, ...LATER_NAMES].filter((name) => name in settings);
  return Object.fromEntries(own.map((name) => [name, settings[name]]));
}

function known(values: Readonly<Record<string, SettingValue | undefined>>): Settings {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, SettingValue] => entry[1] !== undefined),
  );
}
