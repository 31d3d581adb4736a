import { dsvFormat } from "d3-dsv";
import { FormatError } from "../errors.js";

/** A table of text cells; every row has as many as the first. */
export interface TextTable {
  /** Column names, where the first line holds any. */
  readonly header?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NUMBER = /^[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)$/i;

/**
 * Reads a table whose cells are parted by commas, tabs, semicolons or blanks, whichever the first line has. The first
 * line is a header when one of its cells is not a number. Empty lines and lines that begin with `#` are passed over.
 */
export function parseTable(text: string, name: string): TextTable {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const kept = lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (kept.length === 0) throw new FormatError(`${name} is empty`);
  if (kept[0].includes("\0") || kept[0].includes("\ufffd"))
    throw new FormatError(`${name} is not a text table`);
  const rows = split(kept);
  const width = rows[0].length;
  const ragged = rows.findIndex((row) => row.length !== width);
  if (ragged >= 0) {
    const line = lines.indexOf(kept[ragged]) + 1;
    throw new FormatError(
      `${name}, line ${line}: ${rows[ragged].length} cells, but the first line has ${width}`,
    );
  }
  return rows[0].every(isNumber) ? { rows } : { header: rows[0], rows: rows.slice(1) };
}

/** Whether a cell reads as a number. */
export function isNumber(cell: string): boolean {
  return NUMBER.test(cell);
}

/** The number in a cell. */
export function numberOf(cell: string, name: string, row: number): number {
  if (!isNumber(cell)) throw new FormatError(`${name}, row ${row + 1}: "${cell}" is not a number`);
  const sign = cell.startsWith("-") ? -1 : 1;
  if (/nan/i.test(cell)) return NaN;
  return /inf/i.test(cell) ? sign * Infinity : Number(cell);
}

/** Rows of cells as comma-separated text. */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return `${dsvFormat(",").formatRows(rows.map((row) => row.map(String)))}\n`;
}

function split(lines: readonly string[]): string[][] {
  const delimiter = ["\t", ",", ";"].find((candidate) => lines[0].includes(candidate));
  const rows = delimiter
    ? dsvFormat(delimiter).parseRows(lines.join("\n"))
    : lines.map((line) => line.trim().split(/\s+/));
  return rows.map((row) => row.map((cell) => cell.trim()));
}
