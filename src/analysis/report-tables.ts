import type { SeedRecord } from "../records/seed-record.js";
import { distanceTable, spearmanTable } from "./correlation-tables.js";
import { errorTable } from "./error-table.js";
import { ablationTables, excessTable } from "./excess-tables.js";
import { summaryTable } from "./summary-table.js";
import { rowsOf, type Table } from "./table.js";

/** Every table that the records have something for. Records as `distinctRecords` returns them. */
export function reportTables(records: readonly SeedRecord[]): Table[] {
  const main = [summaryTable, excessTable, errorTable, distanceTable, spearmanTable].map((make) =>
    make(records),
  );
  return [...main, ...ablationTables(records)].filter((table) => rowsOf(table).length > 0);
}
