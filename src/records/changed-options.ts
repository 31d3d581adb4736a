import type { TaskName } from "../datasets/tasks.js";
import { optimizerOptions } from "../federation/optimizer-options.js";
import { isSimulated, runOptions } from "../federation/run-options.js";
import { PAPER_REPAIR } from "../partition/repair.js";
import { recordedOptions } from "../studies/recorded-options.js";
import type { RecordedOptions } from "./run-record.js";

type Value = string | number | boolean | null | undefined;

/**
 * Options of a run that are not the bundled studies' settings, as `local_steps=1 bins=3`; empty if all are. Those settings
 * are the paper's where it states one, and ours elsewhere (docs/readings.md). Data that were imported are among them, as
 * the start of their hash. What the seed-level table has columns for is left out:
 * viscosity, number of clients, kind of optimiser, concentration, seed and rounds.
 */
export function changedOptions(options: RecordedOptions): string {
  const { task, seed, data, optimizer } = options;
  const imported = data !== null && !isSimulated(data);
  const bundled = recordedOptions(
    runOptions({ task: task as TaskName, alpha: 100, seed, repair: PAPER_REPAIR }),
  );
  const own = named(options, imported);
  const usual = named({ ...bundled, optimizer: { ...optimizerOptions({ name: optimizer.name }) } }, imported);
  if (imported) own.set("data", data.sha256.slice(0, 8));
  if (data?.sample_axis) own.set("sample_axis", data.sample_axis);
  if (data?.channels) own.set("channels", data.channels);
  return [...new Set([...own.keys(), ...usual.keys()])]
    .filter((name) => own.get(name) !== usual.get(name))
    .map((name) => `${name}=${own.get(name) ?? "default"}`)
    .join(" ");
}

/** What may differ, by name; parameters and seed of imported data are not those of a simulation. */
function named(options: RecordedOptions, imported: boolean): Map<string, Value> {
  const { viscosity: _, ...parameters } = options.parameters;
  const { name: __, ...optimizer } = options.optimizer;
  const { train, test, data_seed, bins, min_size, repair, local_steps, batch } = options;
  const { normalise, model, client_state, backend, tf32 } = options;
  return new Map<string, Value>(
    Object.entries({
      train,
      test,
      ...(imported ? {} : { data_seed, ...parameters }),
      bins,
      min_size,
      repair,
      local_steps,
      batch,
      ...(optimizer as Record<string, Value>),
      normalise,
      ...model,
      client_state,
      backend,
      tf32,
    }) as [string, Value][],
  );
}
