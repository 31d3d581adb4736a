import { RUN_OPTIONS, type RunOptions } from "../federation/run-options.js";
import { type Option, propertyOf } from "../options/option.js";
import type { RecordedOptions } from "../records/run-record.js";

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
    seed,
    data_seed: dataSeed,
    optimizer: { ...optimizer },
    model: { ...model },
    checkpoints: [...checkpoints],
  };
}

/** Declared options by recorded name; one that came later is absent at its default. */
function declaredValues(options: RunOptions) {
  const entries = Object.entries<Option>(RUN_OPTIONS).map(
    ([name]) => [name, options[propertyOf(name) as keyof RunOptions]] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RecordedOptions;
}

function recordedData({
  file,
  origin,
  sha256,
  sampleAxis,
  channels,
}: NonNullable<RunOptions["data"]>): RecordedOptions["data"] {
  const axes = { ...(sampleAxis && { sample_axis: sampleAxis }), ...(channels && { channels }) };
  return { file, origin, sha256, ...axes };
}
