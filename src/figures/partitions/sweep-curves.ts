import * as Plot from "@observablehq/plot";
import { DataError } from "../../errors.js";
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
import { DASHES, legend, legendEntry, lineEntry } from "../legend.js";
import { SERIES_STYLES } from "../palette.js";
import { coveringTicks, decimals, ticksWithin } from "../ticks.js";
import { FAINT_INK, GRID, INK, PRINT_WIDTH } from "../typography.js";

/** What a number of bins gives. */
export interface SweptBins {
  readonly bins: number;
  readonly explainedVariance: number;
  readonly d_sol: number;
  readonly d_sol_floor: number;
}

export interface SweepCurvesOptions {
  readonly title: string;
  readonly points: readonly SweptBins[];
  /** The number of bins of a partition, which is marked. */
  readonly marked?: number;
}

const [EXPLAINED, DISTANCE] = SERIES_STYLES;
const MARGINS = { top: 5, right: 8, bottom: 32, left: 48 };
const HEIGHT = 170;
const GAP = 12;

/** Explained variance, and D_sol with its floor, against the number of bins, as SVG. */
export function sweepCurves({ title, points, marked }: SweepCurvesOptions): string {
  if (points.length < 2) throw new DataError("a sweep is drawn from at least two numbers of bins");
  const width = (PRINT_WIDTH - 8 - GAP) / 2;
  const floor = { color: FAINT_INK, dashed: true };
  const panels = [
    { title: "Variance explained by the bins", y: "share of the variance", lines: [explained], top: 1 },
    {
      title: "Distance between clients",
      y: "D_sol",
      lines: [distance, floorOf],
      top: Math.max(...points.map(({ d_sol, d_sol_floor }) => Math.max(d_sol, d_sol_floor))),
    },
  ].map(({ title: name, y, lines, top }, i): Drawing => {
    const over = heading({ letter: panelLetter(i, 2), title: name }, MARGINS.left, width);
    const ticks = coveringTicks(0, top || 1);
    const plot = drawLines(points, lines, i === 0 ? EXPLAINED.color : DISTANCE.color, {
      width,
      ticks,
      marked,
    });
    return stack([over, framed(plot, MARGINS, { x: "number of bins B", y })], 3);
  });
  return figure(beside(panels, GAP), {
    title,
    name: title,
    description: `Explained variance and D_sol with its floor for ${points[0].bins} to ${points.at(-1)!.bins} bins.`,
    legend: legend(
      [
        legendEntry("D_sol", DISTANCE),
        lineEntry("IID clients of the same sizes", floor),
        ...(marked === undefined ? [] : [lineEntry(`the partition, ${marked} bins`, { color: INK })]),
      ],
      PRINT_WIDTH - 8,
    ),
    width: PRINT_WIDTH,
  });
}

type Value = (point: SweptBins) => number;
const explained: Value = ({ explainedVariance }) => explainedVariance;
const distance: Value = ({ d_sol }) => d_sol;
const floorOf: Value = ({ d_sol_floor }) => d_sol_floor;

/** Markers only as far as they stay apart. */
const MOST_MARKERS = 60;

function drawLines(
  points: readonly SweptBins[],
  [main, ...dashed]: readonly Value[],
  color: string,
  {
    width,
    ticks,
    marked,
  }: { readonly width: number; readonly ticks: readonly number[]; readonly marked?: number },
): Element {
  const bins = [...points.map((point) => point.bins), ...(marked === undefined ? [] : [marked])];
  const [low, high] = [Math.min(...bins), Math.max(...bins)];
  const axis = { label: null, tickSize: 0, tickPadding: 4, fontVariant: "normal" } as const;
  const { symbol } = color === EXPLAINED.color ? EXPLAINED : DISTANCE;
  return Plot.plot({
    document: figureDocument(),
    width,
    height: HEIGHT + MARGINS.top + MARGINS.bottom,
    ...plotMargins(MARGINS),
    x: { domain: [low, high], inset: 6, axis: null },
    y: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX(marked === undefined ? [] : [marked], { stroke: INK, strokeWidth: 0.75 }),
      ...dashed.map((value) =>
        Plot.lineY(points, {
          x: "bins",
          y: value,
          stroke: FAINT_INK,
          strokeWidth: 0.75,
          strokeDasharray: DASHES,
        }),
      ),
      Plot.lineY(points, { x: "bins", y: main, stroke: color, strokeWidth: 1.25 }),
      Plot.dot(points.length > MOST_MARKERS ? [] : points, { x: "bins", y: main, symbol, r: 2, fill: color }),
      Plot.ruleY([ticks[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(binTicks(low, high), { ...axis, tickFormat: String }),
      Plot.axisY(ticks, { ...axis, tickFormat: decimals(ticks) }),
    ],
  });
}

/** Whole round numbers of bins. */
function binTicks(low: number, high: number): number[] {
  const ticks = ticksWithin(low, high, 6).filter(Number.isInteger);
  return ticks.length > 1 ? ticks : [low, high];
}
