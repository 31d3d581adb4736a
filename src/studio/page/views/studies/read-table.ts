import { bytesInMemory } from "../../../../files/byte-source.js";
import type { SeedRecord } from "../../../../records/seed-record.js";
import { readCsv, readParquet } from "../../../../records/seed-table.js";

/** Seed-level records of a file that is Parquet or CSV, whatever it is called. */
export async function readRecords(bytes: Uint8Array, name: string): Promise<SeedRecord[]> {
  const isParquet = new TextDecoder("latin1").decode(bytes.subarray(0, 4)) === "PAR1";
  return isParquet ? readParquet(bytesInMemory(bytes, name)) : readCsv(new TextDecoder().decode(bytes), name);
}
