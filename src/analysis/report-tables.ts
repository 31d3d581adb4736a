import type { SeedRecord } from "../records/seed-record.js";
import { distanceTable, spearmanTable } from "./correlation-tables.js";
import { errorTable } from "./error-table.js";
import { ablationTables, excessTable } from "./excess-tables.js";
import { summaryTable } from "./summary-table.js";
import { rowsOf, type Table } from "./table.js";

/** Builds every table for which the records have data. Pass records from `distinctRecords`. */
export function reportTables(records: readonly SeedRecord[]): Table[] {
  const main = [summaryTable, excessTable, errorTable, distanceTable, spearmanTable].map((make) =>
    make(records),
  );
  return [...main, ...ablationTables(records)]
    .filter((table) => rowsOf(table).length > 0)
    .map(withoutLoneSource);
}

/** A table without the column that tells our values from the paper's, where it has none of the paper's. */
function withoutLoneSource(table: Table): Table {
  const source = table.columns.findIndex(({ csv }) => csv[0] === "source");
  if (source < 0 || rowsOf(table).some((row) => row[source].text === "paper")) return table;
  const keep = <T>(_: T, column: number) => column !== source;
  return {
    ...table,
    columns: table.columns.filter(keep),
    groups: table.groups.map((rows) => rows.map((row) => row.filter(keep))),
  };
}
