import { textWidth } from "../../../../../figures/typography.js";
import type { Size } from "../../../parts/size-of.js";
import { type Columns, columnsOf } from "./columns.js";

/** Where rows, cells and bars of the heat map lie, in pixels. */
export interface HeatMapLayout extends Columns {
  readonly top: number;
  /** Height of a client's row, and of all. */
  readonly row: number;
  readonly height: number;
  /** Size of the numbers in the cells; undefined where they do not fit. */
  readonly numberSize: number | undefined;
  /** Where the bar of so many samples ends. */
  sizeAt(samples: number): number;
  /** The most samples that a bar shows. */
  readonly mostSamples: number;
}

const TOP = 20;
const BELOW = 34;
/** The tallest row: two clients need no taller ones. */
const MOST_ROW = 60;
const NUMBERS = { least: 8, most: 12 } as const;
/** Room for the number behind a bar. */
const NUMBER_ROOM = 68;

/** The layout of counts in a place of this size. */
export function heatMapLayout(
  { width, height }: Size,
  counts: readonly (readonly number[])[],
  { largestCount, largestSize }: { readonly largestCount: number; readonly largestSize: number },
): HeatMapLayout {
  const clients = counts.length;
  const columns = columnsOf(width, counts[0].length);
  const row = Math.min(MOST_ROW, Math.max(1, height - TOP - BELOW) / clients);
  const fitting = Math.min((columns.each - 4) / textWidth(String(largestCount), 1), row - 3, NUMBERS.most);
  const samples = counts.reduce((sum, counted) => counted.reduce((a, b) => a + b, sum), 0);
  const mostSamples = rangeOfSizes(samples / clients, largestSize);
  const bar = columns.beside.width - NUMBER_ROOM;
  return {
    ...columns,
    top: TOP,
    row,
    height: row * clients,
    numberSize: fitting >= NUMBERS.least ? fitting : undefined,
    mostSamples,
    sizeAt: (size) => columns.beside.left + (size / mostSamples) * bar,
  };
}

/** The equal share doubled until it covers the largest client: while dragging, the scale of sizes seldom changes. */
function rangeOfSizes(equalShare: number, largest: number): number {
  let most = 2 * equalShare;
  while (most < largest) most *= 2;
  return most;
}
