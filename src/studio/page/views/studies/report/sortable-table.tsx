import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Cell, rowsOf, type Table } from "../../../../../analysis/tables/table.js";
import { csvTable } from "../../../../../analysis/tables/table-formats.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { CopyButton } from "../../../share/copy-button.js";
import { resultTable } from "../results/result-table.js";
import { along, checkpoint, measure, measures, panels } from "../state.js";

/** The results as a table. */
export function ResultTable() {
  const [way, chosen] = [along.value, measure.value];
  const table = useMemo(
    () =>
      way && chosen ? resultTable(way, panels.value, measures.value, chosen, checkpoint.value) : undefined,
    [way, chosen, panels.value, measures.value, checkpoint.value],
  );
  return table ? <SortableTable table={table} /> : null;
}

interface Order {
  readonly column: number;
  readonly isDown: boolean;
}

/** A table whose headings sort it, with all its digits to copy. */
export function SortableTable({
  table,
  children,
}: {
  readonly table: Table;
  /** More ways to take it away. */
  readonly children?: ComponentChildren;
}) {
  const [order, setOrder] = useState<Order>();
  const rows = useMemo(() => sorted(rowsOf(table), order), [table, order]);
  const sortBy = (column: number) =>
    setOrder(
      order?.column !== column
        ? { column, isDown: false }
        : order.isDown
          ? undefined
          : { column, isDown: true },
    );
  return (
    <div class="study-sortable">
      <div class="study-table-tools small">
        <CopyButton text={csvTable({ ...table, groups: [rows] })} what="as CSV" />
        {children}
        <span class="faint">
          <Mathematics text={table.caption} /> Copied as CSV, numbers have all their digits.
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it */}
      <section class="study-table-scroll" tabIndex={0} aria-label={table.title}>
        <table>
          <thead>
            <tr>
              {table.columns.map(({ heading, align }, i) => (
                <th
                  key={heading}
                  scope="col"
                  class={align === "left" ? "study-left" : ""}
                  aria-sort={order?.column === i ? (order.isDown ? "descending" : "ascending") : "none"}
                >
                  <button type="button" onClick={() => sortBy(i)}>
                    <Mathematics text={heading} />
                    <span aria-hidden="true">{order?.column === i ? (order.isDown ? " ↓" : " ↑") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {row.map(({ text, strong }, column) => (
                  <td
                    key={column}
                    class={`${table.columns[column].align === "left" ? "study-left" : ""} ${strong ? "study-strong" : ""}`}
                  >
                    <Mathematics text={text} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** Rows in the order of a column; what has no value stands last. */
function sorted(rows: readonly (readonly Cell[])[], order: Order | undefined): readonly (readonly Cell[])[] {
  if (!order) return rows;
  const { column, isDown } = order;
  const sign = isDown ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column].values[0], other[column].values[0]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  });
}
