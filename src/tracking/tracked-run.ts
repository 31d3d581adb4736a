import { recordedTask } from "../records/recorded-task.js";
import type { RunRecord } from "../records/run-record.js";
import { type SettingValue, settingsOf } from "../records/settings.js";
import { finite } from "./checkpoint-metrics.js";
import type { TrackedRun } from "./tracker.js";

/** A run as its record describes it. */
export function trackedRun(record: RunRecord, study: string): TrackedRun {
  const { id, options, made_with, started } = record;
  return {
    id,
    study,
    attempt: attemptOf(record),
    started: Date.parse(started),
    params: paramsOf(record),
    facts: {
      ...factsOf(record),
      program: `${made_with.name} ${made_with.version}`,
      overrides: settingsOf(record).overrides.join(" "),
      ...(options.data && { data_file: options.data.file.split(/[/\\]/).at(-1)! }),
    },
  };
}

/** Version, backend and GPU: what may compute other bits. */
function attemptOf({ made_with, hardware, options }: RunRecord): string {
  return [made_with.name, made_with.version, hardware.backend ?? options.backend, hardware.gpu]
    .filter((word) => word !== undefined)
    .join(" ");
}

function paramsOf(record: RunRecord): TrackedRun["params"] {
  const { options, partition } = record;
  const { settings } = settingsOf(record);
  const { alpha, seed, rounds } = options;
  return {
    task: recordedTask(options),
    ...(alpha !== null && { alpha }),
    split: partition.split ?? `alpha ${alpha}`,
    seed,
    rounds,
    // Records leave federated averaging unsaid.
    strategy: "fedavg",
    ...(settings as Readonly<Record<string, SettingValue>>),
  };
}

function factsOf({ data, hardware, architecture, options }: RunRecord): Record<string, string> {
  const { name, parameters } = architecture;
  const told = { title: data.title, data_origin: data.origin, ...data.sha256, ...hardware };
  const words = Object.entries(told).flatMap(([key, value]) =>
    value === undefined ? [] : [[key in data.sha256 ? `${key}_sha256` : key, String(value)] as const],
  );
  return {
    ...Object.fromEntries(words),
    data_sha256: options.data?.sha256 ?? data.sha256.train_responses ?? "",
    device: String(hardware.gpu ?? hardware.processor ?? "unknown"),
    model: `${name}, ${parameters} parameters`,
  };
}

/** Metrics of a partition that the seed-level table has; a diagnosis has more. */
const PARTITION_METRICS = [
  ...["d_sol", "d_sol_floor", "input_w1", "cv_n", "n_min", "n_max"],
  ...["h_q", "h_w", "tv", "js", "eps_part", "eps_quant"],
];

/** What is measured once, before training, and logged with the first checkpoint: `partition/d_sol` and others. */
export function partitionMetrics(metrics: Readonly<Record<string, number | null>>): Record<string, number> {
  return finite(Object.fromEntries(PARTITION_METRICS.map((name) => [`partition/${name}`, metrics[name]])));
}
