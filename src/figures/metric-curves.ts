import * as Plot from "@observablehq/plot";
import { DataError } from "../errors.js";
import { alphaAxis, alphaDomain } from "./alpha-axis.js";
import {
  figure,
  framed,
  grid,
  heading,
  type Margins,
  panelColumns,
  panelLetter,
  plotMargins,
  printWidth,
  stack,
} from "./compose.js";
import { figureDocument } from "./document.js";
import { legend, legendEntry, PAPER_BAND, paperEntry } from "./legend.js";
import { type SeriesStyle, seriesStyles } from "./palette.js";
import { coveringTicks, decimals } from "./ticks.js";
import { FAINT_INK, GRID, SIZE, textWidth } from "./typography.js";

/** A mean over seeds with its interval. */
export interface MetricPoint {
  readonly alpha: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface MetricSeries {
  /** A task's name gets that task's colour and marker. */
  readonly name: string;
  readonly points: readonly MetricPoint[];
  /** Colour and marker, where they are not the task's. */
  readonly style?: SeriesStyle;
  /** Values that the paper states for this series: hollow markers. */
  readonly paper?: readonly { readonly alpha: number; readonly value: number }[];
}

export interface MetricPanel {
  readonly title: string;
  readonly yLabel: string;
  readonly series: readonly MetricSeries[];
  /** Ranges that the paper states for all series together: grey bands. */
  readonly paper?: readonly { readonly alpha: number; readonly low: number; readonly high: number }[];
}

export interface MetricCurvesOptions {
  readonly title?: string;
  /** What screen readers call a figure without a title. */
  readonly name?: string;
  readonly panels: readonly MetricPanel[];
  /** Width in pixels. Default 692 (183 mm in print), for a single panel 336 (89 mm). */
  readonly width?: number;
  /** Panels in a row. Default: up to four in one row, five and six in two. */
  readonly columns?: number;
}

/**
 * Means with their intervals against alpha, as SVG: the paper's `fig:partition-statistics`. The logarithmic
 * axis runs from large to small alpha, so that heterogeneity grows to the right.
 */
export function metricCurves(options: MetricCurvesOptions): string {
  const { title, panels, width = printWidth(panels.length) } = options;
  const names = [...new Set(panels.flatMap((panel) => panel.series.map((series) => series.name)))];
  const alphas = [...new Set(panels.flatMap(alphasOf))].sort((a, b) => b - a);
  if (alphas.length === 0) throw new DataError("metric curves need at least one point");
  const columns = options.columns ?? panelColumns(panels.length);
  const styles = new Map(seriesStyles(names).map((style, i) => [names[i], style]));
  for (const { name, style } of panels.flatMap((panel) => panel.series)) if (style) styles.set(name, style);
  const panelWidth = (width - 8 - (columns - 1) * 8) / columns;
  const drawings = panels.map((panel, i) => {
    const { ticks, margins } = valueAxis(panel);
    const plot = drawCurves(panel, { alphas, styles, width: panelWidth, ticks, margins });
    const over = heading({ letter: panelLetter(i, panels.length), title: panel.title }, margins.left);
    return stack([over, framed(plot, margins, { x: "concentration α", y: panel.yLabel })], 3);
  });
  return figure(grid(drawings, columns, { x: 8, y: 14 }), {
    title,
    name: options.name ?? "Partition statistics against the concentration α",
    description: `${panels.map((panel) => panel.title).join("; ")}: means with intervals for ${names.join(", ")}.`,
    legend: legend(
      [
        ...[...styles].map(([label, style]) => legendEntry(label, style)),
        ...(panels.some(citesPaper) ? [paperEntry(panels.some((panel) => panel.paper !== undefined))] : []),
      ],
      width - 8,
    ),
    width,
  });
}

interface Scene {
  readonly alphas: readonly number[];
  readonly styles: ReadonlyMap<string, SeriesStyle>;
  readonly width: number;
  readonly ticks: readonly number[];
  readonly margins: Margins;
}

function drawCurves(panel: MetricPanel, scene: Scene): Element {
  const { alphas, styles, width, ticks, margins } = scene;
  // Series stand a few pixels apart at the same alpha, so that their intervals do not cover each other.
  const step = Math.min(4, 16 / panel.series.length);
  const band = { stroke: PAPER_BAND, strokeWidth: step * panel.series.length + 8 };
  const marks = panel.series.flatMap((series, i) => {
    const { color, symbol } = styles.get(series.name)!;
    const dx = (i - (panel.series.length - 1) / 2) * step;
    const points = [...series.points].sort((a, b) => b.alpha - a.alpha);
    const sign = { x: "alpha", symbol, r: 2.6, dx } as const;
    return [
      Plot.lineY(points, { x: "alpha", y: "mean", stroke: color, strokeWidth: 1.25, dx }),
      Plot.ruleX(points, { x: "alpha", y1: "low", y2: "high", stroke: color, strokeWidth: 1, dx }),
      Plot.dot(points, { ...sign, y: "mean", fill: color }),
      Plot.dot(series.paper ?? [], { ...sign, y: "value", r: 3.6, stroke: color, strokeWidth: 1 }),
    ];
  });
  return Plot.plot({
    document: figureDocument(),
    width,
    height: Math.min(220, Math.max(128, 0.6 * width)) + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain: alphaDomain(alphas), axis: null },
    y: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX(panel.paper ?? [], { x: "alpha", y1: "low", y2: "high", ...band }),
      ...marks,
      Plot.ruleY([ticks[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      // Where values change their sign, zero is what they are compared with.
      Plot.ruleY(ticks[0] < 0 ? [0] : [], { stroke: FAINT_INK, strokeWidth: 0.75, strokeDasharray: "3,2" }),
      ...alphaAxis(alphas),
      Plot.axisY(ticks, {
        label: null,
        tickSize: 0,
        tickPadding: 4,
        fontVariant: "normal",
        tickFormat: decimals(ticks),
      }),
    ],
  });
}

/** Round ticks from zero (or below, where an interval reaches there) to past the highest interval. */
function valueAxis(panel: MetricPanel): { ticks: number[]; margins: Margins } {
  const values = [
    ...panel.series.flatMap(({ points, paper = [] }) => [
      ...points.flatMap(({ mean, low, high }) => [mean, low, high]),
      ...paper.map(({ value }) => value),
    ]),
    ...(panel.paper ?? []).flatMap(({ low, high }) => [low, high]),
  ];
  const ticks = coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
  const labels = ticks.map(decimals(ticks)).map((label) => textWidth(label, SIZE.tick));
  return { ticks, margins: { top: 5, right: 6, bottom: 32, left: 19 + Math.max(...labels) } };
}

function alphasOf(panel: MetricPanel): number[] {
  const stated = [...(panel.paper ?? []), ...panel.series.flatMap((series) => series.paper ?? [])];
  return [...panel.series.flatMap((series) => series.points), ...stated].map((point) => point.alpha);
}

function citesPaper(panel: MetricPanel): boolean {
  return panel.paper !== undefined || panel.series.some((series) => series.paper !== undefined);
}
