import { type TaskName, taskOf } from "../datasets/tasks.js";
import { DEFAULT_OPTIMIZERS, runOptions } from "../federation/run-options.js";
import { type RecordedOptions, recordedOptions } from "./run-record.js";

/** Batches that the paper takes for models of fields, "depending on memory requirements". */
const FIELD_BATCHES = { from: 8, to: 16 };

type Value = string | number | boolean | null | undefined;

/**
 * Options of a run that are not the paper's, as `local_steps=1 bins=3`; empty if all are. What the seed-level table has
 * columns for is left out: viscosity, number of clients, kind of optimiser, concentration, seed and rounds.
 */
export function changedOptions(options: RecordedOptions): string {
  const { task, seed, data } = options;
  const paper = recordedOptions(runOptions({ task: task as TaskName, alpha: 100, seed }));
  const own = named(options, data !== null);
  const usual = named({ ...paper, optimizer: usualOptimizer(options) }, data !== null);
  return [...new Set([...own.keys(), ...usual.keys()])]
    .filter((name) => own.get(name) !== usual.get(name) && !(name === "batch" && isFieldBatch(options)))
    .map((name) => `${name}=${own.get(name) ?? "default"}`)
    .join(" ");
}

/** What may differ, by name; files say their own parameters and seed. */
function named(options: RecordedOptions, imported: boolean): Map<string, Value> {
  const { viscosity: _, ...parameters } = options.parameters;
  const { name: __, ...optimizer } = options.optimizer;
  const { train, test, data_seed, bins, min_size, repair, local_steps, batch } = options;
  const { normalise, model, client_state, tf32 } = options;
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
      tf32,
    }),
  );
}

function usualOptimizer({ optimizer }: RecordedOptions): RecordedOptions["optimizer"] {
  return optimizer.name === "sgd" ? { ...DEFAULT_OPTIMIZERS.sgd } : { ...DEFAULT_OPTIMIZERS.adam };
}

function isFieldBatch({ task, batch }: RecordedOptions): boolean {
  const { from, to } = FIELD_BATCHES;
  return taskOf(task as TaskName).model !== "deeponet" && batch >= from && batch <= to;
}
