import * as Plot from "@observablehq/plot";
import { summarise } from "../../analysis/observations.js";
import {
  beside,
  type Drawing,
  figure,
  framed,
  heading,
  panelLetter,
  plotMargins,
  stack,
} from "../compose.js";
import { figureDocument } from "../document.js";
import { dotEntry, legend, lineEntry, smallDotEntry } from "../legend.js";
import { coveringTicks, decimals } from "../ticks.js";
import { FAINT_INK, GRID, INK, PRINT_WIDTH, SIZE, shortened, textWidth } from "../typography.js";

/** What is drawn of every split: values over seeds by metric. */
export interface SplitRow {
  readonly label: string;
  /** Rows of one family, such as a partitioner, are set apart from the next. */
  readonly family: string;
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** A metric of splits, one column of the figure. */
export interface SplitMetric {
  readonly name: string;
  /** Heading in the notation of `notation.ts`. */
  readonly title: string;
  /** Metric that is drawn beside it as a tick: what chance alone would give. */
  readonly floor?: string;
}

export interface SplitPanel {
  readonly title: string;
  readonly rows: readonly SplitRow[];
}

/** D_sol with its floor, inputs, sizes and gradients: the columns of a figure, as far as they were measured. */
export const SPLIT_METRICS: readonly SplitMetric[] = [
  { name: "d_sol", title: "D_sol", floor: "d_sol_floor" },
  { name: "input_w1", title: "input W_1" },
  { name: "cv_n", title: "CV_n" },
  { name: "h_g_norm", title: "H_g^norm" },
];

const ROW = 15;
const FAMILY_GAP = 5;
const LONGEST_LABEL = 170;
const COLOR = "#0b66a8";

/**
 * Splits as rows, metrics as columns: a dot is the mean over seeds, small dots the seeds, a bar the 95 % interval. Beside
 * D_sol a grey tick shows what IID clients of the same sizes give.
 */
export function splitDots(
  panels: readonly SplitPanel[],
  { name, width = PRINT_WIDTH }: { readonly name: string; readonly width?: number },
): string {
  const measured = SPLIT_METRICS.filter((metric) =>
    panels.some(({ rows }) => rows.some(({ values }) => (values[metric.name] ?? []).length > 0)),
  );
  const labels = panels.flatMap(({ rows }) => rows.map(({ label }) => label));
  const left = 14 + Math.min(LONGEST_LABEL, Math.max(...labels.map((label) => textWidth(label, SIZE.tick))));
  const gap = 12;
  const plotWidth = (width - 8 - left - (measured.length - 1) * gap) / measured.length;
  const drawings = panels.map((panel, i) => {
    const columns = measured.map((metric, column) =>
      metricColumn(panel.rows, metric, { width: plotWidth, left: column === 0 ? left : 0 }),
    );
    const title = { letter: panelLetter(i, panels.length), title: panel.title };
    return stack([heading(title, 0, width), beside(columns, gap)], 4);
  });
  const hasSeeds = panels.some(({ rows }) => rows.some(({ values }) => (values.d_sol ?? []).length > 1));
  const hasFloor = panels.some(({ rows }) =>
    rows.some(({ values }) => (values.d_sol_floor ?? []).length > 0),
  );
  const entries: Drawing[] = [
    dotEntry(hasSeeds ? "mean over seeds with 95 % interval" : "value", { color: COLOR, symbol: "circle" }),
    ...(hasSeeds ? [smallDotEntry("one seed", { color: COLOR, r: 1.4, fillOpacity: 0.45 })] : []),
    ...(hasFloor ? [lineEntry("D_sol of IID clients of the same sizes", { color: FAINT_INK })] : []),
  ];
  return figure(stack(drawings, 16), {
    name,
    description: `${panels.map(({ title }) => title).join("; ")}: ${measured.map(({ title }) => title).join(", ")} of ${labels.length} splits.`,
    legend: legend(entries, width - 8),
    width,
  });
}

/** One metric of all rows. */
function metricColumn(
  rows: readonly SplitRow[],
  { name, title, floor }: SplitMetric,
  { width, left }: { readonly width: number; readonly left: number },
): Drawing {
  const places = placesOf(rows);
  const height = places.at(-1)! + ROW;
  const margins = { top: 4, right: 4, bottom: 32, left: left + 4 };
  const found = rows.flatMap(({ values }, i) => {
    const summary = summarise(values[name] ?? []);
    return summary
      ? [{ y: places[i], ...summary, low: summary.low ?? summary.mean, high: summary.high ?? summary.mean }]
      : [];
  });
  const seeds = rows.flatMap(({ values }, i) =>
    (values[name] ?? []).length > 1 ? values[name].map((value) => ({ y: places[i], value })) : [],
  );
  const floors = rows.flatMap(({ values }, i) => {
    const summary = floor === undefined ? undefined : summarise(values[floor] ?? []);
    return summary ? [{ y: places[i], value: summary.mean }] : [];
  });
  const all = [
    ...found.flatMap(({ mean }) => [mean]),
    ...seeds.map(({ value }) => value),
    ...floors.map(({ value }) => value),
  ];
  const ticks = coveringTicks(Math.min(0, ...all), Math.max(...all, 1e-9));
  const [first, last] = [ticks[0], ticks.at(-1)!];
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
      Plot.ruleX(floors, {
        x: "value",
        y1: ({ y }) => y - 5,
        y2: ({ y }) => y + 5,
        stroke: FAINT_INK,
        strokeWidth: 1.5,
      }),
      Plot.ruleY(found, {
        y: "y",
        x1: ({ low }) => inside(low),
        x2: ({ high }) => inside(high),
        stroke: COLOR,
        strokeWidth: 1,
      }),
      Plot.dot(seeds, { x: "value", y: "y", r: 1.4, fill: COLOR, fillOpacity: 0.45 }),
      Plot.dot(found, { x: "mean", y: "y", r: 2.8, fill: COLOR }),
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
function placesOf(rows: readonly SplitRow[]): number[] {
  let at = ROW * 0.6;
  return rows.map(({ family }, i) => {
    if (i > 0) at += ROW + (family === rows[i - 1].family ? 0 : FAMILY_GAP);
    return at;
  });
}
