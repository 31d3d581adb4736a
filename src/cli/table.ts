/** Columns of text as a command prints them: the first aligned left, the others right unless told otherwise. */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  sides: readonly ("left" | "right")[] = header.map((_, column) => (column === 0 ? "left" : "right")),
): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const pad = (cell: string, column: number) =>
    sides[column] === "left" ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  const line = (cells: readonly string[]) => cells.map(pad).join("  ").trimEnd();
  return [line(header), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

/** A number with three decimals, or a dash where there is none. */
export function decimal(value: number | null, digits = 3): string {
  return value === null || Number.isNaN(value) ? "-" : value.toFixed(digits);
}
