import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FormatError } from "../errors.js";
import { bytesInMemory } from "../files/byte-source.js";
import { fileError, type Output, writeOutputs } from "../files/disk.js";
import type { SeedRecord } from "../records/seed-record.js";
import { readCsv, readParquet, writeCsv, writeParquet } from "../records/seed-table.js";

/** The seed-level table of a study's folder, twice. */
export const RECORDS_PARQUET = "records.parquet";
export const RECORDS_CSV = "records.csv";

type TableFile = typeof RECORDS_PARQUET | typeof RECORDS_CSV;

/** The table as one of its files has it; undefined if there is no such file. */
export async function readTableFile(folder: string, file: TableFile): Promise<SeedRecord[] | undefined> {
  const path = join(folder, file);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(error, path, "read");
  }
  if (file === RECORDS_PARQUET) return readParquet(bytesInMemory(bytes, path));
  return readCsv(new TextDecoder().decode(bytes), path);
}

/**
 * The table of a folder: the Parquet file, or the CSV where there is none that can be read.
 *
 * @param onDamage told what is wrong with the Parquet file, and what is read instead
 */
export async function readTable(
  folder: string,
  onDamage?: (problem: string, instead: string) => void,
): Promise<SeedRecord[] | undefined> {
  try {
    return (await readTableFile(folder, RECORDS_PARQUET)) ?? (await readTableFile(folder, RECORDS_CSV));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const other = await readTableFile(folder, RECORDS_CSV).catch(() => undefined);
    if (!other) throw error;
    onDamage?.(error.message, RECORDS_CSV);
    return other;
  }
}

/** Writes the table as Parquet and CSV. */
export async function writeTable(folder: string, records: readonly SeedRecord[]): Promise<void> {
  const outputs: Output[] = [
    { path: join(folder, RECORDS_PARQUET), bytes: () => writeParquet(records) },
    { path: join(folder, RECORDS_CSV), bytes: new TextEncoder().encode(writeCsv(records)) },
  ];
  await writeOutputs(outputs, { force: true });
}
