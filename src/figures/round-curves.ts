import * as Plot from "@observablehq/plot";
import {
  axisRoom,
  type Drawing,
  figure,
  framed,
  grid,
  heading,
  panelLetter,
  plotMargins,
  printWidth,
  stack,
  taskColumns,
} from "./compose.js";
import { arrowheads } from "./cut-intervals.js";
import { figureDocument } from "./document.js";
import { DASHES, legend, legendEntry, lineEntry } from "./legend.js";
import { alphaColor, type SeriesStyle } from "./palette.js";
import { spreadWords } from "./seed-spread.js";
import { FAINT_INK, GRID, SIZE } from "./typography.js";

/** A mean over seeds at a checkpoint; without an interval where seeds are few. */
export interface RoundPoint {
  readonly round: number;
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** What tells a curve from others where these are not concentrations. */
export interface CurveName {
  readonly label: string;
  readonly style: SeriesStyle;
  readonly dashed: boolean;
}

export interface RoundCurve {
  readonly alpha: number;
  /** Unless given, a curve is called by its concentration and has the colour of that. */
  readonly name?: CurveName;
  readonly points: readonly RoundPoint[];
  /** How many seeds the means are over. */
  readonly count: number;
  /** Values of single seeds, where these few are drawn in place of a band. */
  readonly seeds: readonly { readonly seed: number; readonly round: number; readonly value: number }[];
}

/** A vertical axis: Plot's scale with the ticks to label. */
export interface ValueAxis {
  readonly scale: Plot.ScaleOptions & { readonly domain: readonly [number, number] };
  readonly ticks: readonly number[];
  readonly label: (tick: number) => string;
}

export interface RoundPanel {
  readonly title: string;
  readonly curves: readonly RoundCurve[];
  readonly axis: ValueAxis;
}

export interface RoundCurvesOptions {
  readonly name: string;
  readonly yLabel: string;
  readonly panels: readonly RoundPanel[];
  /** A line that values are compared with. */
  readonly baseline?: number;
  readonly height?: number;
}

const BEFORE_AXIS = { frameAnchor: "left", textAnchor: "end", dx: -4, fontSize: SIZE.tick } as const;

/** Of the curves of single seeds: thinner and fainter than their mean. */
const SEED_LINE = { strokeWidth: 0.7, strokeOpacity: 0.6 } as const;

/** Labels of the axis of rounds; other checkpoints have a tick alone. */
const LABELLED = [0, 1, 10, 100, 1000, 10_000, 100_000];

/**
 * Means over communication rounds with their bands, or with thin curves of a few seeds, one panel a task, one curve a
 * concentration or whatever curves are called by. Rounds are on a log(1 + r) axis: the start is on it, and every checkpoint has room.
 */
export function roundCurves(options: RoundCurvesOptions): string {
  const { name, yLabel, panels } = options;
  const width = printWidth(panels.length);
  const columns = taskColumns(panels.length);
  const panelWidth = (width - 8 - (columns - 1) * 10) / columns;
  const curves = panels.flatMap((panel) => panel.curves);
  const alphas = [...new Set(curves.flatMap(({ alpha, name: own }) => (own ? [] : [alpha])))];
  const hasSeeds = curves.some(({ seeds }) => seeds.length > 0);
  const drawings = panels.map((panel, i): Drawing => {
    const left = axisRoom(panel.axis.ticks.map(panel.axis.label));
    const margins = { top: 5, right: 12, bottom: 32, left };
    const plot = drawPanel(panel, options, panelWidth, margins);
    const over = heading(
      { letter: panelLetter(i, panels.length), title: panel.title },
      margins.left,
      panelWidth,
    );
    return stack([over, framed(plot, margins, { x: "communication round", y: yLabel })], 3);
  });
  const named = new Map(curves.flatMap(({ name: own }) => (own ? [[own.label, own] as const] : [])));
  const entries = [
    ...alphas
      .sort((a, b) => b - a)
      .map((alpha) => legendEntry(`α = ${alpha}`, { color: alphaColor(alpha), symbol: "circle" })),
    ...[...named.values()].map(({ label, style, dashed }) => legendEntry(label, style, dashed)),
  ];
  if (hasSeeds) entries.push(lineEntry("one seed", { color: FAINT_INK, width: SEED_LINE.strokeWidth }));
  const spread = spreadWords(
    curves.map(({ count }) => count),
    { intervals: " with 95 % intervals", seeds: ", single seeds" },
  );
  return figure(grid(drawings, columns, { x: 10, y: 14 }, "bottom"), {
    name,
    description: `${panels.map((panel) => panel.title).join("; ")}: means over seeds${spread}${named.size > 0 ? ` for ${[...named.keys()].join(", ")}` : ""}.`,
    legend: legend(entries, width - 8),
    width,
  });
}

function drawPanel(
  { curves, axis }: RoundPanel,
  { baseline, height = 150 }: RoundCurvesOptions,
  width: number,
  margins: { top: number; right: number; bottom: number; left: number },
): Element {
  const rounds = [...new Set(curves.flatMap(({ points }) => points.map(({ round }) => round)))];
  const last = Math.max(1, ...rounds);
  const [bottom] = axis.scale.domain;
  const marks = curves.map(({ alpha, name, points, seeds }) => {
    const fill = name?.style.color ?? alphaColor(alpha);
    const strokeDasharray = name?.dashed ? DASHES : undefined;
    const band = points.filter(({ low }) => low !== null);
    return {
      band: Plot.areaY(band, {
        x: "round",
        y1: (point: RoundPoint) => Math.max(bottom, point.low!),
        y2: "high",
        fill,
        fillOpacity: 0.16,
      }),
      seeds:
        seeds.length > 0
          ? [Plot.line(seeds, { x: "round", y: "value", z: "seed", stroke: fill, ...SEED_LINE })]
          : [],
      line: Plot.lineY(points, { x: "round", y: "mean", stroke: fill, strokeWidth: 1.25, strokeDasharray }),
      dots: Plot.dot(points, {
        ...{ x: "round", y: "mean", fill },
        ...(name ? { symbol: name.style.symbol, r: 2.2 } : { r: 1.7 }),
      }),
      cut: arrowheads(
        band.filter((point) => goesBelow(point, axis)),
        "down",
        // above the axis, whose ticks would hide it
        { x: "round", y: () => bottom, dy: -4, stroke: fill },
      ),
    };
  });
  const tick = { label: null, tickPadding: 3, fontVariant: "normal" } as const;
  return Plot.plot({
    document: figureDocument(),
    width,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "symlog", constant: 1, domain: [0, last], axis: null },
    y: { ...axis.scale, domain: [...axis.scale.domain], axis: null },
    marks: [
      Plot.ruleY(axis.ticks, { stroke: GRID, strokeWidth: 0.75 }),
      ...marks.map(({ band }) => band),
      Plot.ruleY(baseline === undefined ? [] : [baseline], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      ...marks.map(({ cut }) => cut),
      ...marks.flatMap(({ seeds }) => seeds),
      // Of named curves the first, with which others are compared, lies on top.
      ...(curves.some(({ name }) => name) ? [...marks].reverse() : marks).flatMap(({ line, dots }) => [
        line,
        dots,
      ]),
      Plot.ruleY([bottom], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(rounds, { ...tick, tickSize: 2, fill: "none" }),
      Plot.axisX(roundTicks(last), { ...tick, tickSize: 3.5, tickFormat: (round: number) => String(round) }),
      // Not axisY: on a logarithmic scale it leaves out labels as it sees fit.
      Plot.text(axis.ticks, { y: (value: number) => value, text: axis.label, ...BEFORE_AXIS }),
    ],
  });
}

/** Whether an interval ends below the axis. */
function goesBelow({ low }: RoundPoint, { scale }: ValueAxis): boolean {
  return low !== null && low < scale.domain[0];
}

/** Whether an interval of some panel ends below its axis. */
export function hasCut(panels: readonly RoundPanel[]): boolean {
  return panels.some(({ curves, axis }) =>
    curves.some(({ points }) => points.some((point) => goesBelow(point, axis))),
  );
}

/** Powers of ten up to the last round, and that one where there is room beside them. */
function roundTicks(last: number): number[] {
  const ticks = LABELLED.filter((round) => round <= last);
  const place = (round: number) => Math.log1p(round) / Math.log1p(last);
  return place(last) - place(ticks.at(-1)!) > 0.12 ? [...ticks, last] : ticks;
}
