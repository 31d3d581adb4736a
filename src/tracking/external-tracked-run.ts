import type { ExternalRun, LoggedCheckpoint } from "../records/external/external-run.js";
import { EXTERNAL_SCHEMA } from "../records/external/external-schema.js";
import { checkpointMetrics, finite } from "./checkpoint-metrics.js";
import { partitionMetrics } from "./tracked-run.js";
import type { TrackedRun } from "./tracker.js";

/**
 * A run that another program trained, as trackers see it.
 *
 * @param study the name for a run that has none
 */
export function externalTrackedRun(run: ExternalRun, study: string, started: number): TrackedRun {
  const { id, task, alpha, split, seed, rounds, settings, title, partition } = run;
  return {
    id,
    study: run.study ?? study,
    attempt: EXTERNAL_SCHEMA,
    started,
    params: {
      task,
      ...(alpha !== null && { alpha }),
      split,
      seed,
      ...(rounds !== undefined && { rounds }),
      strategy: "fedavg",
      ...settings,
    },
    facts: {
      program: EXTERNAL_SCHEMA,
      ...(title !== undefined && { title }),
      ...(partition && { data_sha256: partition.dataSha256 }),
    },
  };
}

/** Fields of a checkpoint that are no metrics. */
const NO_METRICS: readonly string[] = ["round", "line"];

/** Metrics of a checkpoint: those that we know, and whatever other numbers its program logged. */
export function externalMetrics(
  { partition, communication }: ExternalRun,
  checkpoint: LoggedCheckpoint,
  isFirst: boolean,
): Record<string, number> {
  const { clients, bins, ...others } = checkpoint;
  const numbers = Object.entries(others).flatMap(([name, value]) =>
    typeof value === "number" && !NO_METRICS.includes(name) ? [[name, value] as const] : [],
  );
  return {
    ...(isFirst && partitionMetrics(partition?.metrics ?? {})),
    ...finite(Object.fromEntries(numbers)),
    ...checkpointMetrics({ ...checkpoint, clients, bins }, communication),
  };
}
