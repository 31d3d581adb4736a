import * as Plot from "@observablehq/plot";
import { beside, type Drawing, framed, heading, panelLetter, plotMargins, stack } from "../compose.js";
import { figureDocument } from "../document.js";
import { coveringTicks, decimals } from "../ticks.js";
import { FAINT_INK, GRID, INK, SIZE, shortened, textWidth } from "../typography.js";

/** One number of a row: a dot with its interval, small dots behind it and a grey tick beside it. */
export interface DotCell {
  readonly mean: number;
  readonly low?: number | null;
  readonly high?: number | null;
  /** Values that the mean is of. */
  readonly points?: readonly number[];
  /** A value to compare with. */
  readonly tick?: number;
}

export interface DotRow {
  readonly label: string;
  /** Rows of one family, such as a partitioner, are set apart from the next. */
  readonly family: string;
  /** By the names of columns; a row may lack some. */
  readonly cells: Readonly<Record<string, DotCell>>;
}

export interface DotColumn {
  readonly name: string;
  /** Title of the axis in the notation of `notation.ts`. */
  readonly title: string;
  /** Ends of the axis, where all panels have the same; from the values otherwise, with zero. */
  readonly domain?: readonly [number, number];
}

export interface DotPanel {
  readonly title: string;
  readonly rows: readonly DotRow[];
}

const ROW = 15;
const FAMILY_GAP = 5;
const LONGEST_LABEL = 170;
/** The colour of dots, which legends repeat. */
export const DOT_COLOR = "#0b66a8";

/** Panels under each other: rows with their labels at the left, a column for every kind of number. */
export function dotRows(panels: readonly DotPanel[], columns: readonly DotColumn[], width: number): Drawing {
  const labels = panels.flatMap(({ rows }) => rows.map(({ label }) => label));
  const left = 14 + Math.min(LONGEST_LABEL, Math.max(...labels.map((label) => textWidth(label, SIZE.tick))));
  const gap = 12;
  const plotWidth = (width - 8 - left - (columns.length - 1) * gap) / columns.length;
  const drawings = panels.map((panel, i) => {
    const plots = columns.map((column, at) =>
      dotColumn(panel.rows, column, { width: plotWidth, left: at === 0 ? left : 0 }),
    );
    const title = { letter: panelLetter(i, panels.length), title: panel.title };
    return stack([heading(title, 0, width), beside(plots, gap)], 4);
  });
  return stack(drawings, 16);
}

/** One column of all rows. */
function dotColumn(
  rows: readonly DotRow[],
  { name, title, domain }: DotColumn,
  { width, left }: { readonly width: number; readonly left: number },
): Drawing {
  const places = placesOf(rows);
  const height = places.at(-1)! + ROW;
  const margins = { top: 4, right: 4, bottom: 32, left: left + 4 };
  const found = rows.flatMap(({ cells }, i) => (cells[name] ? [{ y: places[i], ...cells[name] }] : []));
  const points = found.flatMap(({ y, points = [] }) => points.map((value) => ({ y, value })));
  const beside = found.flatMap(({ y, tick }) => (tick === undefined ? [] : [{ y, value: tick }]));
  const all = [
    ...found.map(({ mean }) => mean),
    ...points.map(({ value }) => value),
    ...beside.map(({ value }) => value),
  ];
  const ticks = domain
    ? coveringTicks(...domain)
    : coveringTicks(Math.min(0, ...all), Math.max(...all, 1e-9));
  const [first, last] = domain ?? [ticks[0], ticks.at(-1)!];
  const inside = (value: number) => Math.min(last, Math.max(first, value));
  const plot = Plot.plot({
    document: figureDocument(),
    width: width + left,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [first, last], axis: null },
    y: { domain: [height, 0], axis: null },
    marks: [
      Plot.ruleX(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY(places, { stroke: GRID, strokeWidth: 0.5 }),
      Plot.ruleX(beside, {
        x: "value",
        y1: ({ y }) => y - 5,
        y2: ({ y }) => y + 5,
        stroke: FAINT_INK,
        strokeWidth: 1.5,
      }),
      Plot.ruleY(found, {
        y: "y",
        x1: ({ mean, low }) => inside(low ?? mean),
        x2: ({ mean, high }) => inside(high ?? mean),
        stroke: DOT_COLOR,
        strokeWidth: 1,
      }),
      Plot.dot(points, { x: "value", y: "y", r: 1.4, fill: DOT_COLOR, fillOpacity: 0.45 }),
      Plot.dot(found, { x: "mean", y: "y", r: 2.8, fill: DOT_COLOR }),
      Plot.axisX(thinned(ticks), {
        label: null,
        tickSize: 0,
        tickPadding: 4,
        fontVariant: "normal",
        tickFormat: decimals(ticks),
      }),
      ...(left > 0
        ? [
            Plot.text(rows, {
              x: first,
              y: (_, i) => places[i],
              text: ({ label }) => shortened(label, LONGEST_LABEL, SIZE.tick),
              textAnchor: "end",
              dx: -8,
              fontSize: SIZE.tick,
              fill: INK,
            }),
          ]
        : []),
    ],
  });
  return framed(plot, margins, { x: title });
}

/** Every second tick where there are many: columns are narrow. */
function thinned(ticks: readonly number[]): number[] {
  return ticks.length <= 4 ? [...ticks] : ticks.filter((_, i) => i % 2 === 0);
}

/** Where rows stand, with some room between families. */
function placesOf(rows: readonly DotRow[]): number[] {
  let at = ROW * 0.6;
  return rows.map(({ family }, i) => {
    if (i > 0) at += ROW + (family === rows[i - 1].family ? 0 : FAMILY_GAP);
    return at;
  });
}
