import {
  type MeasuredRun,
  recordsWithoutReference,
  type SeedRecord,
  seedRecords,
} from "../../../../../records/seed-record.js";
import type { FollowedRun, Sent, SentMeasurements } from "../../../../study/study-events.js";

/** A run that the table does not have, as far as it was measured. */
export type LiveRun = MeasuredRun;

/** The run with what was measured of it since. */
export function extended(before: LiveRun | undefined, sent: SentMeasurements): LiveRun | undefined {
  const common = sent.common ? revived(sent.common) : before?.common;
  if (!common) return undefined;
  const kept = before?.checkpoints.slice(0, sent.from) ?? [];
  return {
    common: common as MeasuredRun["common"],
    checkpoints: [
      ...kept,
      ...sent.checkpoints.map((one) => revived(one) as MeasuredRun["checkpoints"][number]),
    ],
  };
}

/** JSON has null in place of NaN. */
function revived<T extends object>(sent: Sent<T>): object {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, value === null ? NaN : value]),
  );
}

/**
 * Seed-level records of runs that the table does not have, compared with their references as the table's rows are. A run
 * whose reference has not come so far has no excess error yet.
 */
export function liveRecords(
  live: ReadonlyMap<string, LiveRun>,
  runs: ReadonlyMap<string, FollowedRun>,
  table: readonly SeedRecord[],
): SeedRecord[] {
  if (live.size === 0) return [];
  const rows = new Map<string, SeedRecord[]>();
  for (const row of table) rows.set(row.run_id, [...(rows.get(row.run_id) ?? []), row]);
  return [...live].flatMap(([id, run]) => {
    if (rows.has(id)) return [];
    const { reference = null, referenceAlpha = null } = runs.get(id) ?? {};
    const compared = reference === null ? undefined : (live.get(reference) ?? measured(rows.get(reference)));
    if (!compared) return recordsWithoutReference(run, referenceAlpha ?? NaN);
    const reached = new Set(compared.checkpoints.map(({ round }) => round));
    const [known, ahead] = [
      run.checkpoints.filter(({ round }) => reached.has(round)),
      run.checkpoints.filter(({ round }) => !reached.has(round)),
    ];
    return [
      ...seedRecords({ ...run, checkpoints: known }, compared),
      ...recordsWithoutReference({ ...run, checkpoints: ahead }, compared.common.alpha),
    ];
  });
}

/** A run of the table as something to compare with. */
function measured(rows: readonly SeedRecord[] | undefined): MeasuredRun | undefined {
  if (!rows || rows.length === 0) return undefined;
  const own = rows.filter(({ reference_alpha }) => Object.is(reference_alpha, rows[0].reference_alpha));
  return { common: own[0], checkpoints: own };
}
