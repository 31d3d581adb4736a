import { formatCsv } from "../../files/csv.js";
import { notationHtml, notationLatex } from "../notation.js";
import { type Cell, type Column, rowsOf, type Table } from "./table.js";

/**
 * Formats a table as Markdown, without its title. `write` converts cell text to Markdown. By default it only escapes
 * special characters.
 */
export function markdownTable(table: Table, write: (text: string) => string = escapeMarkdown): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = table.columns.map((column) => (isLeft(column) ? "---" : "---:"));
  const cell = ({ text, strong }: Cell) => (strong ? `**${write(text)}**` : write(text));
  return [
    line(table.columns.map(({ heading }) => write(heading))),
    `|${rule.join("|")}|`,
    ...rowsOf(table).map((row) => line(row.map(cell))),
    "",
  ].join("\n");
}

/** Formats a table as LaTeX. The document must load the package booktabs. */
export function latexTable(table: Table): string {
  const line = (cells: readonly string[]) => `${cells.join(" & ")} \\\\`;
  const cell = ({ text, strong }: Cell) =>
    strong ? `\\textbf{\\boldmath ${notationLatex(text)}}` : notationLatex(text);
  const groups = table.groups.map((rows) => rows.map((row) => line(row.map(cell))).join("\n"));
  return [
    "% needs \\usepackage{booktabs}",
    "\\begin{table}[t]",
    "\\centering",
    `\\caption{${notationLatex(table.caption)}}`,
    `\\label{tab:${table.name}}`,
    `\\begin{tabular}{${table.columns.map((column) => (isLeft(column) ? "l" : "r")).join("")}}`,
    "\\toprule",
    line(table.columns.map(({ heading }) => notationLatex(heading))),
    "\\midrule",
    groups.join("\n\\addlinespace\n"),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

/** Formats a table as CSV in full precision. Missing values are empty cells. */
export function csvTable(table: Table): string {
  const header = table.columns.flatMap((column) => column.csv);
  const rows = rowsOf(table).map((row) => row.flatMap((cell) => cell.values.map((value) => value ?? "")));
  return formatCsv([header, ...rows]);
}

/** A table as HTML, without its title. */
export function htmlTable(table: Table): string {
  const side = (column: number) => (isLeft(table.columns[column]) ? ' class="left"' : "");
  const head = table.columns.map(
    ({ heading }, i) => `<th scope="col"${side(i)}>${notationHtml(heading)}</th>`,
  );
  const cell = ({ text, strong }: Cell, i: number) => {
    const inner = strong ? `<b>${notationHtml(text)}</b>` : notationHtml(text);
    return `<td${side(i)}>${inner}</td>`;
  };
  const groups = table.groups.map(
    (rows) => `<tbody>\n${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}\n</tbody>`,
  );
  return `<table>\n<thead><tr>${head.join("")}</tr></thead>\n${groups.join("\n")}\n</table>`;
}

function isLeft(column: Column): boolean {
  return column.align === "left";
}

/** Text in our notation with what Markdown would take for its own signs escaped; between backticks only bars are. */
export function escapeMarkdown(text: string): string {
  return text
    .split("`")
    .map((part, i) => part.replace(i % 2 === 1 ? /\|/g : /[\\|*<]/g, (sign) => `\\${sign}`))
    .join("`");
}

/** Somebody's own text, in which no sign is Markdown's. */
export function markdownText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|~$&]/g, (sign) => `\\${sign}`);
}
