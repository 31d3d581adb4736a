import { FormatError } from "../errors.js";
import { isFinished, readMeasuredRun, readRunRecord, runFolder } from "../records/run-folder.js";
import { type MeasuredRun, type SeedRecord, seedRecords } from "../records/seed-record.js";
import { writeCsv } from "../records/seed-table.js";
import { readTable, writeTable } from "./record-files.js";
import { readStudies } from "./study-file.js";

/**
 * Seed-level records of all finished runs of a folder whose reference is finished too. A run that several studies
 * share occurs once, under the study that began first.
 */
export async function collectRecords(folder: string): Promise<SeedRecord[]> {
  const records: SeedRecord[] = [];
  const seen = new Set<string>();
  let reference: MeasuredRun | undefined; // runs come seed by seed, so that one is enough
  for (const { specification, runs } of await readStudies(folder)) {
    for (const run of runs) {
      if (seen.has(run.id) || !(await finished(run.id)) || !(await finished(run.reference))) continue;
      seen.add(run.id);
      const measured = (id: string) => readMeasuredRun(runFolder(folder, id), specification.name);
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
 */
export async function studyRecords(folder: string): Promise<SeedRecord[]> {
  const collected = await collectRecords(folder);
  const table = await readTable(folder).catch((error) => {
    if (collected.length > 0 && error instanceof FormatError) return undefined; // the runs say it all again
    throw error;
  });
  const keyOf = ({ run_id, round }: SeedRecord) => `${run_id} ${round}`;
  const known = new Map((table ?? []).map((row) => [keyOf(row), row.d_theta]));
  const runs = new Set(collected.map(({ run_id }) => run_id));
  return [
    ...collected.map((row) =>
      Number.isNaN(row.d_theta) ? { ...row, d_theta: known.get(keyOf(row)) ?? NaN } : row,
    ),
    ...(table ?? []).filter(({ run_id }) => !runs.has(run_id)),
  ];
}

/** Writes the seed-level table as Parquet and CSV. */
export async function writeRecords(folder: string): Promise<SeedRecord[]> {
  const records = await studyRecords(folder);
  await writeTable(folder, records);
  return records;
}

/** The same where a folder has finished runs that its table lacks: those of a study that was stopped. */
export async function refreshRecords(folder: string): Promise<SeedRecord[]> {
  const records = await studyRecords(folder);
  const table = await readTable(folder).catch(() => undefined);
  if (writeCsv(records) !== writeCsv(table ?? [])) await writeTable(folder, records);
  return records;
}
