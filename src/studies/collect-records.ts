import { FormatError } from "../errors.js";
import { isFinished, readMeasuredRun, readRunRecord, runFolder } from "../records/run-folder.js";
import { type MeasuredRun, type SeedRecord, seedRecords } from "../records/seed-record.js";
import { writeCsv } from "../records/seed-table.js";
import { settingKey } from "../records/settings.js";
import { externalRecords } from "./external-runs.js";
import { readStudies } from "./read-studies.js";
import { RECORDS_CSV, RECORDS_PARQUET, readTable, readTableFile, writeTable } from "./record-files.js";
import { trainedRecords } from "./trained-runs.js";

/**
 * Seed-level records of all finished runs of a folder whose reference is finished too. A folder of `train --out` has no
 * study and gives all finished runs. A run that several studies compare with the same reference occurs once, under
 * the first study. Runs that another program trained come last. Checks the hashes of all files; a changed file is a
 * `FormatError`.
 *
 * @param onNotice told of what cannot be used of runs that another program trained
 */
export function collectRecords(folder: string, onNotice?: (message: string) => void): Promise<SeedRecord[]> {
  return recordsOfRuns(folder, { checked: false, onNotice });
}

/** The same; the files of runs need not be compared again where they have been (`checked`). */
export async function recordsOfRuns(
  folder: string,
  { checked, onNotice }: { readonly checked: boolean; readonly onNotice?: (message: string) => void },
): Promise<SeedRecord[]> {
  return [...(await ownRecords(folder, checked)), ...(await externalRecords(folder, onNotice))];
}

async function ownRecords(folder: string, checked: boolean): Promise<SeedRecord[]> {
  const records: SeedRecord[] = [];
  const seen = new Set<string>();
  let reference: MeasuredRun | undefined; // runs come seed by seed, so that one is enough
  const studies = await readStudies(folder);
  if (studies.length === 0) return trainedRecords(folder);
  for (const { specification, runs } of studies) {
    for (const run of runs) {
      const pair = `${run.id} ${run.reference}`;
      if (seen.has(pair) || !(await finished(run.id)) || !(await finished(run.reference))) continue;
      seen.add(pair);
      const measured = (id: string) =>
        readMeasuredRun(runFolder(folder, id), specification.name, { checked });
      if (reference?.common.run_id !== run.reference) reference = await measured(run.reference);
      const own = run.id === run.reference ? reference : await measured(run.id);
      records.push(...seedRecords(own, reference));
    }
  }
  return records;

  async function finished(id: string): Promise<boolean> {
    return isFinished(await readRunRecord(runFolder(folder, id)));
  }
}

/**
 * Seed-level records of a folder: those of its finished runs, and from its table the rows of runs whose folders are
 * gone and every D_theta whose arrays were left behind since. Writes nothing.
 *
 * @param onNotice told of a table that is damaged, and of what cannot be used of runs that another program trained
 */
export async function studyRecords(
  folder: string,
  onNotice?: (message: string) => void,
): Promise<SeedRecord[]> {
  const collected = await collectRecords(folder, onNotice);
  const isKnown = collected.length > 0;
  const table = await readTable(folder, (problem, instead) =>
    onNotice?.(
      `${problem}: ${isKnown ? "rebuilding the table from the runs" : `reading ${instead} instead`}`,
    ),
  ).catch((error) => {
    if (!isKnown || !(error instanceof FormatError)) throw error;
    onNotice?.(`${error.message}: rebuilding the table from the runs`);
    return undefined;
  });
  const keyOf = ({ run_id, reference_alpha, round }: SeedRecord) => `${run_id} ${reference_alpha} ${round}`;
  const known = new Map((table ?? []).map((row) => [keyOf(row), row.d_theta]));
  const runs = new Set(collected.map(({ run_id }) => run_id));
  const made = new Set(collected.map(placeOf));
  return [
    ...collected.map((row) =>
      Number.isNaN(row.d_theta) ? { ...row, d_theta: known.get(keyOf(row)) ?? NaN } : row,
    ),
    // Another run that was made in its place since replaces one that is gone.
    ...(table ?? []).filter((row) => !runs.has(row.run_id) && !made.has(placeOf(row))),
  ];
}

/** What a run is one of; the settings of some earlier tables are not known. */
function placeOf({ task, settings, alpha, reference_alpha, seed }: SeedRecord): string {
  return settingKey(settings, task, reference_alpha, alpha, seed);
}

/** Writes the seed-level table as Parquet and CSV. */
export async function writeRecords(folder: string): Promise<SeedRecord[]> {
  const records = await studyRecords(folder);
  await writeTable(folder, records);
  return records;
}

/** The same where one of its files is not what the runs say: runs of a study that was stopped, a file that was changed. */
export async function refreshRecords(
  folder: string,
  onNotice?: (message: string) => void,
): Promise<SeedRecord[]> {
  const records = await studyRecords(folder, onNotice);
  const files = [RECORDS_PARQUET, RECORDS_CSV] as const;
  const tables = await Promise.all(files.map((file) => readTableFile(folder, file).catch(() => undefined)));
  if (tables.some((table) => writeCsv(table ?? []) !== writeCsv(records))) await writeTable(folder, records);
  return records;
}
