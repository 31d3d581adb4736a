import { join } from "node:path";
import { lastJournalLine } from "../records/journal.js";
import type { MissingRun } from "../records/missing-run.js";
import { recordedTask } from "../records/recorded-task.js";
import { failureWords, readFailure } from "../records/run-failure.js";
import { isFinished, RUN_FILES, readRunRecord, runFolder } from "../records/run-folder.js";
import type { RecordedSettings } from "../records/settings.js";
import { plannedSettings } from "./planned-settings.js";
import { readStudies } from "./read-studies.js";

/** Runs that the studies of a folder ask for and that give no rows, each with the reason. */
export async function missingRuns(folder: string): Promise<MissingRun[]> {
  const missing = new Map<string, MissingRun>();
  const reasons = new Map<string, Promise<string | undefined>>();
  const reasonOf = (id: string, rounds: number) => {
    if (!reasons.has(id)) reasons.set(id, unfinishedWords(runFolder(folder, id), rounds));
    return reasons.get(id)!;
  };
  for (const { specification, runs } of await readStudies(folder)) {
    for (const { id, reference, options, ...stated } of runs) {
      const own = await reasonOf(id, options.rounds);
      const ofReference = await reasonOf(reference, options.rounds);
      const why = own ?? (ofReference && `without a reference (${ofReference})`);
      if (why === undefined) continue;
      const row = rowOf(options, plannedSettings({ options, ...stated }), id);
      missing.set(`${id} ${reference}`, { ...row, reference_alpha: specification.reference, why });
    }
  }
  return [...missing.values()];
}

/** What the rows of a run say of it, but for its reference. */
export function rowOf(
  options: Parameters<typeof recordedTask>[0] & Pick<MissingRun, "seed"> & { readonly alpha: number | null },
  settings: RecordedSettings,
  id: string,
): Omit<MissingRun, "reference_alpha" | "why"> {
  const { alpha, seed } = options;
  return { task: recordedTask(options), ...settings, alpha: alpha ?? NaN, seed, run_id: id };
}

/** Why a run is not finished; undefined if it is. */
export async function unfinishedWords(folder: string, rounds: number): Promise<string | undefined> {
  const record = await readRunRecord(folder).catch(() => undefined);
  if (isFinished(record)) return undefined;
  const failure = await readFailure(folder);
  if (failure) return failureWords(failure);
  const last = await lastJournalLine(join(folder, RUN_FILES.journal));
  return last ? `not finished, at round ${last.round} of ${rounds}` : "not finished";
}
