import { unmarked } from "../notation.js";
import type { SeedSummary } from "../observations.js";

/** One table cell: the text to print, and the CSV values, one for each name in its column's `csv`. */
export interface Cell {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
  readonly strong?: boolean;
}

export interface Column {
  /** Heading in the notation of `notation.ts`. */
  readonly heading: string;
  /** Names of the CSV columns. An interval has two. */
  readonly csv: readonly string[];
  readonly align?: "left" | "right";
}

/** A table that can be written in every format. */
export interface Table {
  /** File name without extension; also the LaTeX label. */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Groups of rows, separated by rules. */
  readonly groups: readonly (readonly (readonly Cell[])[])[];
}

export const NOTHING = "–";

/** Smaller numbers are what round-off leaves of zero. */
const SMALLEST = 1e-9;

/** A number as print has it, with a true minus sign; one of which only zeros would be left has two digits that count. */
export function fixed(value: number, digits = 3): string {
  const size = Math.abs(value);
  const isLost = size >= SMALLEST && Number(size.toFixed(digits)) === 0;
  const text = value.toFixed(isLost ? 1 - Math.floor(Math.log10(size)) : digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

export function textCell(text: string): Cell {
  return { text, values: [unmarked(text)] };
}

export function numberCell(value: number | null | undefined, digits = 3): Cell {
  if (value === null || value === undefined) return { text: NOTHING, values: [null] };
  return { text: fixed(value, digits), values: [value] };
}

export function countCell(value: number | null): Cell {
  return { text: value === null ? NOTHING : String(value), values: [value] };
}

/** An interval of two columns in CSV, bold where it excludes zero. */
export function intervalCell(low: number | null | undefined, high: number | null | undefined): Cell {
  if (low === null || low === undefined || high === null || high === undefined)
    return { text: NOTHING, values: [null, null] };
  return { text: intervalText(low, high), values: [low, high], strong: low > 0 || high < 0 };
}

/** Mean with the sample standard deviation in parentheses, two columns in CSV. */
export function meanCell(summary: Pick<SeedSummary, "mean" | "sd"> | undefined): Cell {
  if (!summary) return { text: NOTHING, values: [null, null] };
  const { mean, sd } = summary;
  return { text: sd === null ? fixed(mean) : `${fixed(mean)} (${fixed(sd)})`, values: [mean, sd] };
}

/** Of a column of {@link estimateCell}, what follows its name in CSV. */
export const ESTIMATE_PARTS = ["", "_sd", "_low", "_high", "_seeds"] as const;

/**
 * Mean, sample standard deviation and interval in one cell, bold where the interval excludes zero; in CSV a column for
 * each, and the number of seeds, which the text has where it is asked to.
 */
export function estimateCell(
  summary: SeedSummary | undefined,
  { counted = false }: { readonly counted?: boolean } = {},
): Cell {
  if (!summary) return { text: NOTHING, values: ESTIMATE_PARTS.map(() => null) };
  const { mean, sd, low, high, seeds } = summary;
  const interval = intervalCell(low, high);
  const text = meanCell({ mean, sd }).text + (low === null ? "" : ` ${interval.text}`);
  return {
    ...interval,
    text: counted ? `${text}, n = ${seeds}` : text,
    values: [mean, sd, low, high, seeds],
  };
}

/** Differences in percentage points below this are round-off of float32, and shown as zero. */
const ROUND_OFF = 5e-4;

/** The same of a difference that may be round-off alone. */
export function differenceCell(summary: SeedSummary | undefined): Cell {
  const cell = estimateCell(summary);
  if (!summary) return cell;
  const { mean, sd, low, high } = summary;
  const isLost = [mean, sd ?? 0, low ?? 0, high ?? 0].every((value) => Math.abs(value) < ROUND_OFF);
  return isLost ? { ...cell, text: fixed(0), strong: false } : cell;
}

export function intervalText(low: number, high: number): string {
  return `[${fixed(low)}, ${fixed(high)}]`;
}

/** Every row of a table. */
export function rowsOf(table: Table): (readonly Cell[])[] {
  return table.groups.flat();
}
