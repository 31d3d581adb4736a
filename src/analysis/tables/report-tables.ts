import { comparedErrors } from "../axes/axis-contrasts.js";
import type { Subject } from "../subject.js";
import { axisTable } from "./axis-table.js";
import { distanceTable, spearmanTable } from "./correlation-tables.js";
import { differenceTable } from "./difference-table.js";
import { errorTable } from "./error-table.js";
import { excessTable } from "./excess-table.js";
import { splitsTable } from "./splits-table.js";
import { summaryTable } from "./summary-table.js";
import { rowsOf, type Table } from "./table.js";

/** Builds every table for which a subject has data: results of its cases, then what they vary. */
export function reportTables(subject: Subject): Table[] {
  const main = [summaryTable, excessTable, errorTable, distanceTable, spearmanTable].map((make) =>
    make(subject),
  );
  const { axes } = subject;
  const compared = axes.flatMap((axis) =>
    axis.isNumeric || axis.name === "data"
      ? [axisTable(axis)]
      : [...comparedErrors(axis).map((error) => differenceTable(axis, error)), axisTable(axis)],
  );
  return [splitsTable(subject), ...main.map(withoutLoneSource), ...compared].filter(
    (table) => rowsOf(table).length > 0,
  );
}

/** A table without the column that tells our values from published ones, where it has none of these. */
export function withoutLoneSource(table: Table): Table {
  const source = table.columns.findIndex(({ csv }) => csv[0] === "source");
  if (source < 0 || rowsOf(table).some((row) => row[source].text !== "here")) return table;
  const keep = <T>(_: T, column: number) => column !== source;
  return {
    ...table,
    columns: table.columns.filter(keep),
    groups: table.groups.map((rows) => rows.map((row) => row.filter(keep))),
  };
}
