import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Output, writeOutputs } from "../files/disk.js";
import { isFinished, readMeasuredRun, readRunRecord, runFolder, withFile } from "../records/run-folder.js";
import { type MeasuredRun, type SeedRecord, seedRecords } from "../records/seed-record.js";
import { readParquet, writeCsv, writeParquet } from "../records/seed-table.js";
import { readStudies } from "./study-file.js";

/** The seed-level table of a study's folder. */
export const RECORDS_PARQUET = "records.parquet";
export const RECORDS_CSV = "records.csv";

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

/** Writes the seed-level table as Parquet and CSV. It keeps every D_theta whose arrays were left behind since. */
export async function writeRecords(folder: string): Promise<SeedRecord[]> {
  return writeTable(folder, await collectRecords(folder));
}

async function writeTable(folder: string, collected: SeedRecord[]): Promise<SeedRecord[]> {
  const records = await withKnownDivergences(folder, collected);
  const outputs: Output[] = [
    { path: join(folder, RECORDS_PARQUET), bytes: () => writeParquet(records) },
    { path: join(folder, RECORDS_CSV), bytes: new TextEncoder().encode(writeCsv(records)) },
  ];
  await writeOutputs(outputs, { force: true });
  return records;
}

/** Records with D_theta as the table has it that is there already, where it cannot be computed. */
async function withKnownDivergences(folder: string, records: SeedRecord[]): Promise<SeedRecord[]> {
  const path = join(folder, RECORDS_PARQUET);
  if (!existsSync(path) || !records.some(({ d_theta }) => Number.isNaN(d_theta))) return records;
  const keyOf = ({ run_id, round }: SeedRecord) => `${run_id} ${round}`;
  const known = new Map((await withFile(path, readParquet)).map((row) => [keyOf(row), row.d_theta]));
  return records.map((row) =>
    Number.isNaN(row.d_theta) ? { ...row, d_theta: known.get(keyOf(row)) ?? NaN } : row,
  );
}

/** Writes the table anew where a folder has finished runs that are in none: those of a study that was stopped. */
export async function refreshRecords(folder: string): Promise<void> {
  const studies = await readStudies(folder).catch(() => []);
  const records = studies.length > 0 ? await collectRecords(folder) : [];
  if (records.length > 0) await writeTable(folder, records);
}
