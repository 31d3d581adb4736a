import * as Plot from "@observablehq/plot";
import { beside, type Drawing, figure, framed, heading, plotMargins, stack } from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { alphaColor } from "../../figures/palette.js";
import { coveringTicks, decimals } from "../../figures/ticks.js";
import { FAINT_INK, GRID, PRINT_WIDTH } from "../../figures/typography.js";
import type { TransportEvidence } from "../theory/evidence/transport-evidence.js";
import { writeAlong } from "./along-line.js";
import { alphaLegend } from "./alpha-legend.js";
import { logPanel } from "./log-panel.js";
import { shuffled, spanOf } from "./points.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 230;
const BAND = "#eef3f6";
const BOUND = { stroke: FAINT_INK, strokeWidth: 1 } as const;

/** Transport distance between its two bounds, for pairs of histograms and for whole partitions. */
export function transportFigure(evidence: TransportEvidence): string {
  return figure(beside([pairPanel(evidence), heterogeneityPanel(evidence)], GAP), {
    name: "Transport distance against total variation, and H_W against H_q",
    description: "Every dot lies between the two lines that the closest and the farthest bins draw.",
    legend: alphaLegend(PRINT_WIDTH - 8),
    width: PRINT_WIDTH,
  });
}

function pairPanel({ points, cMin, cMax }: TransportEvidence): Drawing {
  const margins = { top: 5, right: 8, bottom: 32, left: 40 };
  const yTicks = coveringTicks(0, cMax);
  const xTicks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const ends = [0, 1];
  const tick = { label: null, fontVariant: "normal" } as const;
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: HEIGHT + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [0, 1.04], axis: null },
    y: { domain: [0, yTicks.at(-1)!], axis: null },
    marks: [
      Plot.areaY(ends, { x: (tv) => tv, y1: (tv) => cMin * tv, y2: (tv) => cMax * tv, fill: BAND }),
      Plot.ruleY(yTicks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.dot(shuffled(points), {
        x: "tv",
        y: "distance",
        r: 1.4,
        fill: ({ alpha }) => alphaColor(alpha),
        fillOpacity: 0.75,
      }),
      Plot.line(ends, { x: (tv) => tv, y: (tv) => cMin * tv, ...BOUND }),
      Plot.line(ends, { x: (tv) => tv, y: (tv) => cMax * tv, ...BOUND }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(xTicks, { ...tick, tickSize: 3, tickPadding: 3, tickFormat: decimals(xTicks) }),
      Plot.axisY(yTicks, { ...tick, tickSize: 0, tickPadding: 4, tickFormat: decimals(yTicks) }),
    ],
  });
  writeAlong(plot, [
    { text: "c_max TV", from: [0, 0], to: [1, cMax], at: 0.62 },
    { text: "c_min TV", from: [0, 0], to: [1, cMin], at: 0.62, below: true },
  ]);
  return stack(
    [
      heading({ letter: "a", title: "Two histograms" }, margins.left),
      framed(plot, margins, { x: "total variation TV", y: "transport distance W_C" }),
    ],
    3,
  );
}

function heterogeneityPanel({ partitions, bins, cMin, cMax }: TransportEvidence): Drawing {
  const x = spanOf(partitions.map(({ hQ }) => hQ));
  const factors = {
    lower: (cMin * cMin) / 4,
    sharper: (cMin * cMin) / 2,
    upper: (bins * cMax * cMax) / 4,
  };
  const lower = factors.lower > 0 ? [factors.lower * x[0]] : [];
  const y = spanOf([...partitions.map(({ hW }) => hW), factors.upper * x[1], ...lower]);
  const line = (factor: number, dashed = false) =>
    Plot.line(
      x.map((hQ) => [hQ, factor * hQ]).filter(([, hW]) => hW > 0),
      { ...BOUND, strokeDasharray: dashed ? "3,2" : undefined },
    );
  const ends = (factor: number) => ({ from: [x[0], factor * x[0]], to: [x[1], factor * x[1]] }) as const;
  return logPanel({
    letter: "b",
    title: "Whole partitions",
    x,
    y,
    xLabel: "heterogeneity of histograms H_q",
    yLabel: "transport from the mean H_W",
    width: WIDTH,
    height: HEIGHT,
    marks: [
      Plot.areaY(x, {
        x: (hQ) => hQ,
        y1: (hQ) => Math.max(factors.lower * hQ, y[0]),
        y2: (hQ) => factors.upper * hQ,
        fill: BAND,
      }),
      Plot.dot(shuffled(partitions), {
        x: "hQ",
        y: "hW",
        r: 1.8,
        fill: ({ alpha }) => alphaColor(alpha),
        fillOpacity: 0.8,
      }),
      line(factors.lower),
      line(factors.sharper, true),
      line(factors.upper),
    ],
    labels: [
      { text: "$B$ c_max^2 H_q / 4", ...ends(factors.upper), at: 0.3 },
      ...(factors.lower > 0
        ? [
            { text: "c_min^2 H_q / 2", ...ends(factors.sharper), at: 0.62 },
            { text: "c_min^2 H_q / 4", ...ends(factors.lower), at: 0.62, below: true },
          ]
        : []),
    ],
  });
}
