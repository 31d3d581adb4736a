import * as Plot from "@observablehq/plot";
import { DataError } from "../errors.js";
import { alphaAxis } from "./alpha-axis.js";
import {
  axisRoom,
  type Drawing,
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
import { arrowheads, type Bounds, UNBOUNDED, within } from "./cut-intervals.js";
import { figureDocument } from "./document.js";
import { legend, legendEntry, PAPER_BAND, paperEntry, smallDotEntry } from "./legend.js";
import { type SeriesStyle, seriesStyles } from "./palette.js";
import type { SeedSpread } from "./seed-spread.js";
import { coveringTicks, decimals } from "./ticks.js";
import { FAINT_INK, GRID } from "./typography.js";

/** Mean over seeds with its interval at one concentration. */
export interface MetricPoint {
  readonly alpha: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Values of single seeds, if there are few. The figure draws them as small dots instead of an interval. */
  readonly seeds?: readonly number[];
}

/** How a figure shows a mean at one concentration: with its interval, or with its seeds where these are few. */
export function metricPoint(alpha: number, { mean, low, high, seeds }: SeedSpread): MetricPoint {
  return { alpha, mean, low: low ?? mean, high: high ?? mean, seeds };
}

/** A value that a publication states. For a single number, `low` equals `high`. */
export interface PaperValue {
  readonly alpha: number;
  readonly low: number;
  readonly high: number;
}

/** One curve of a panel. */
export interface MetricSeries {
  /** Series name. Series of the same name share a colour and a marker. */
  readonly name: string;
  readonly points: readonly MetricPoint[];
  /** Colour and marker. Default: the next free ones. */
  readonly style?: SeriesStyle;
  /** Published values for this series, drawn as hollow markers, or as hollow bars for ranges. */
  readonly paper?: readonly PaperValue[];
}

/** One panel of a figure. */
export interface MetricPanel {
  readonly title: string;
  readonly yLabel: string;
  readonly series: readonly MetricSeries[];
  /** Published ranges for all series together, drawn as grey bands. */
  readonly paper?: readonly PaperValue[];
  /**
   * Range of possible values. The figure clips intervals there and marks them with an arrowhead. Default: unbounded.
   */
  readonly bounds?: Bounds;
}

/** Options of `metricCurves`. */
export interface MetricCurvesOptions {
  readonly title?: string;
  /** Accessible name of a figure without a title. */
  readonly name?: string;
  readonly panels: readonly MetricPanel[];
  /** Width in pixels. Default 692 (183 mm in print), or 336 (89 mm) for a single panel. */
  readonly width?: number;
  /**
   * Panels per row. Default: one row for up to four panels, two rows for five or six. With four or more series in a
   * panel, the default is two panels per row.
   */
  readonly columns?: number;
}

/** Series that a panel of a quarter of the page's width has room for at one concentration. */
const FEW_SERIES = 3;

/**
 * Plots means with their intervals against alpha as SVG, as in the paper's `fig:partition-statistics`. The
 * logarithmic axis runs from large to small alpha, so that heterogeneity grows to the right.
 */
export function metricCurves(options: MetricCurvesOptions): string {
  const { title, panels, width = printWidth(panels.length) } = options;
  const names = [...new Set(panels.flatMap((panel) => panel.series.map((series) => series.name)))];
  const alphas = [...new Set(panels.flatMap(alphasOf))].sort((a, b) => b - a);
  if (alphas.length === 0) throw new DataError("metric curves need at least one point");
  const most = Math.max(...panels.map(({ series }) => series.length));
  const columns =
    options.columns ?? (most > FEW_SERIES ? Math.min(2, panels.length) : panelColumns(panels.length));
  const all = panels.flatMap((panel) => panel.series);
  const given = names.map((name) => all.find((series) => series.name === name && series.style)?.style);
  const free = seriesStyles(names.map(() => undefined));
  const styles = new Map(names.map((name, i) => [name, given[i] ?? free[i]]));
  const hasSeeds = panels.some((panel) => panel.series.some(({ points }) => seedDots(points).length > 0));
  const panelWidth = (width - 8 - (columns - 1) * 8) / columns;
  const drawings = panels.map((panel, i) => {
    const { ticks, margins } = valueAxis(panel);
    const plot = drawCurves(panel, { alphas, styles, width: panelWidth, ticks, margins });
    const title = { letter: panelLetter(i, panels.length), title: panel.title };
    const over = heading(title, margins.left, panelWidth + 8); // up to the next panel
    return stack([over, framed(plot, margins, { x: "concentration α", y: panel.yLabel })], 3);
  });
  return figure(grid(drawings, columns, { x: 8, y: 14 }, "bottom"), {
    title,
    name: options.name ?? "Partition statistics against the concentration α",
    description: `${panels.map((panel) => panel.title).join("; ")}: means with ${hasSeeds ? "single seeds" : "intervals"} for ${names.join(", ")}.`,
    legend: legend(
      [
        ...[...styles].map(([label, style]) => legendEntry(label, style)),
        ...(hasSeeds ? [smallDotEntry("one seed", { color: FAINT_INK, ...SEED_DOT })] : []),
        ...paperSigns(panels),
      ],
      width - 8,
    ),
    width,
  });
}

/** Radius of a marker. */
const MARKER = 2.6;
/** Of a single seed: smaller and fainter than a mean. */
const SEED_DOT = { r: 1.5, fillOpacity: 0.6 } as const;

interface Scene {
  readonly alphas: readonly number[];
  readonly styles: ReadonlyMap<string, SeriesStyle>;
  readonly width: number;
  readonly ticks: readonly number[];
  readonly margins: Margins;
}

function drawCurves(panel: MetricPanel, scene: Scene): Element {
  const { alphas, styles, width, ticks, margins } = scene;
  const bounds = panel.bounds ?? UNBOUNDED;
  const count = panel.series.length;
  // Series stand a few pixels apart at the same alpha, so that their intervals do not cover each other.
  const step = Math.min(9, (0.15 * (width - margins.left - margins.right)) / count);
  const reach = (count * step) / 2 + MARKER;
  const band = { stroke: PAPER_BAND, strokeWidth: step * count + 6 };
  const marks = panel.series.flatMap((series, i) => {
    const { color, symbol } = styles.get(series.name)!;
    const dx = (i - (panel.series.length - 1) / 2) * step;
    const points = [...series.points].sort((a, b) => b.alpha - a.alpha);
    const low = (point: MetricPoint) => within(point.low, bounds);
    const high = (point: MetricPoint) => within(point.high, bounds);
    const cut = { x: "alpha", stroke: color, dx } as const;
    // What the paper states stands between this series and the next one.
    const hollow = { x: "alpha", fill: "#ffffff", stroke: color, strokeWidth: 1, dx: dx + step / 2 } as const;
    const stated = series.paper ?? [];
    const seeds = seedDots(points);
    return {
      means: [
        Plot.lineY(points, { x: "alpha", y: "mean", stroke: color, strokeWidth: 1.25, dx }),
        Plot.ruleX(points, { x: "alpha", y1: low, y2: high, stroke: color, strokeWidth: 1, dx }),
        arrowheads(
          points.filter((point) => point.low < bounds[0]),
          "down",
          { ...cut, y: low },
        ),
        arrowheads(
          points.filter((point) => point.high > bounds[1]),
          "up",
          { ...cut, y: high },
        ),
        Plot.dot(points, { x: "alpha", y: "mean", symbol, r: MARKER, fill: color, dx }),
        ...(seeds.length > 0
          ? [Plot.dot(seeds, { x: "alpha", y: "value", fill: color, ...SEED_DOT, dx })]
          : []),
      ],
      paper: [
        Plot.rect(stated.filter(isRange), {
          ...hollow,
          x1: "alpha",
          x2: "alpha",
          y1: "low",
          y2: "high",
          insetLeft: -MARKER,
          insetRight: -MARKER,
        }),
        Plot.dot(
          stated.filter((value) => !isRange(value)),
          { ...hollow, y: "low", symbol, r: MARKER },
        ),
      ],
    };
  });
  return Plot.plot({
    document: figureDocument(),
    width,
    height: Math.min(220, Math.max(128, 0.6 * width)) + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain: [alphas[0], alphas.at(-1)!], inset: reach + 4, axis: null },
    y: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX(panel.paper ?? [], { x: "alpha", y1: "low", y2: "high", ...band }),
      ...marks.flatMap(({ means }) => means),
      ...marks.flatMap(({ paper }) => paper),
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

/** Round ticks from zero (or below, where an interval reaches there) to past the highest interval, within the bounds. */
function valueAxis(panel: MetricPanel): { ticks: number[]; margins: Margins } {
  const bounds = panel.bounds ?? UNBOUNDED;
  const values = [
    ...panel.series.flatMap(({ points, paper = [] }) => [
      ...points.flatMap(({ mean, low, high, seeds = [] }) =>
        [mean, low, high, ...seeds].map((value) => within(value, bounds)),
      ),
      ...paper.flatMap(({ low, high }) => [low, high]),
    ]),
    ...(panel.paper ?? []).flatMap(({ low, high }) => [low, high]),
  ];
  const ticks = coveringTicks(Math.min(0, ...values), Math.max(0, ...values));
  const left = axisRoom(ticks.map(decimals(ticks)));
  return { ticks, margins: { top: 5, right: 6, bottom: 32, left } };
}

function seedDots(points: readonly MetricPoint[]): { readonly alpha: number; readonly value: number }[] {
  return points.flatMap(({ alpha, seeds = [] }) => seeds.map((value) => ({ alpha, value })));
}

function alphasOf(panel: MetricPanel): number[] {
  const stated = [...(panel.paper ?? []), ...panel.series.flatMap((series) => series.paper ?? [])];
  return [...panel.series.flatMap((series) => series.points), ...stated].map((point) => point.alpha);
}

/** The legend's entry of what the paper states, where it is shown. */
function paperSigns(panels: readonly MetricPanel[]): Drawing[] {
  const ofSeries = panels.flatMap((panel) => panel.series.flatMap((series) => series.paper ?? []));
  const cited = {
    values: ofSeries.some((value) => !isRange(value)),
    ranges: ofSeries.some(isRange),
    bands: panels.some((panel) => (panel.paper ?? []).length > 0),
  };
  return Object.values(cited).includes(true) ? [paperEntry(cited)] : [];
}

const isRange = ({ low, high }: PaperValue): boolean => low < high;
