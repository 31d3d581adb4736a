import * as Plot from "@observablehq/plot";
import { median } from "../../analysis/statistics.js";
import { type Drawing, figure, framed, grid, heading, plotMargins, stack } from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { dotEntry, hollowEntry, legend } from "../../figures/legend.js";
import type { SeriesStyle } from "../../figures/palette.js";
import { powerLabels } from "../../figures/ticks.js";
import { FAINT_INK, GRID, INK, PRINT_WIDTH, SIZE, textWidth } from "../../figures/typography.js";
import { activationName } from "../theory/cases.js";
import type { AlignmentCase, AlignmentEvidence } from "../theory/evidence/alignment-evidence.js";
import { caseEntries, caseStyle } from "./case-styles.js";
import { decades, logPanel } from "./log-panel.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 158;

/** The ratio that the corollary needs, over concentrations, as it scales, and where it is small. */
export function alignmentFigure({ cases }: AlignmentEvidence): string {
  const [smooth, kinked] = [true, false].map((wanted) => cases.filter((one) => one.smooth === wanted));
  const range = rangeOf(cases);
  const panels = [
    ratioPanel(smooth, range, "a"),
    ratioPanel(kinked, range, "b"),
    scalingPanel(cases, "c"),
    constructedPanel(cases, "d"),
  ];
  return figure(grid(panels, 2, { x: GAP, y: 12 }), {
    name: "Alignment of curvature and gradients",
    description:
      "Length of the drift's direction over H_q against the concentration, its mean square over population draws, and " +
      "the cases in which it is small.",
    legend: stack([legend(caseEntries(cases), PRINT_WIDTH - 8), clientsLegend()], 4),
    width: PRINT_WIDTH,
  });
}

/** How clients are taken in the first two panels. */
function clientsLegend(): Drawing {
  const style = { color: FAINT_INK, symbol: "circle" } as const;
  const entries = [
    dotEntry("clients as mixtures of bins", style),
    hollowEntry("with their own samples", style),
  ];
  return legend(entries, PRINT_WIDTH - 8);
}

const symbolOf = (point: SeriesStyle) => point.symbol;

function ratioPanel(cases: readonly AlignmentCase[], y: readonly [number, number], letter: string): Drawing {
  const dots = cases.flatMap((one, i) =>
    one.points.map(({ alpha, hQ, mixture, realised }) => ({
      ...caseStyle(one),
      alpha: alpha * 10 ** (0.09 * (i === 0 ? 1 : -1)),
      mixture: mixture / hQ,
      realised: realised / hQ,
    })),
  );
  const alphas = dots.map(({ alpha }) => alpha);
  return logPanel({
    letter,
    title: activationName(cases[0]),
    x: [Math.max(...alphas) * 1.6, Math.min(...alphas) / 1.6],
    y,
    xLabel: "concentration α",
    yLabel: "‖Σ p_k (H_k − $H$)(g_k − $g$)‖ / H_q",
    width: WIDTH,
    height: HEIGHT,
    marks: [
      Plot.dot(dots, {
        x: "alpha",
        y: "realised",
        r: 2.6,
        stroke: "color",
        strokeWidth: 0.9,
        symbol: symbolOf,
      }),
      Plot.dot(dots, { x: "alpha", y: "mixture", r: 1.9, fill: "color", symbol: symbolOf }),
    ],
  });
}

function scalingPanel(cases: readonly AlignmentCase[], letter: string): Drawing {
  const points = cases.flatMap((one, i) =>
    one.scaling.map(({ spread, square }) => ({ ...caseStyle(one), i, spread, square })),
  );
  const spreads = points.map(({ spread }) => spread);
  const squares = points.map(({ square }) => square);
  const first = Math.min(...spreads);
  const top = Math.max(...squares);
  const guide = [first, Math.max(...spreads)].map((at) => ({ at, size: 4 * top * (first / at) ** 2 }));
  const place = ({ at, size }: (typeof guide)[number]) => [at, size] as const;
  return logPanel({
    letter,
    title: "Scaling",
    x: [first / 1.5, Math.max(...spreads) * 1.8],
    y: [Math.min(...squares) / 3, top * 12],
    xLabel: "$K$α + 1",
    yLabel: "mean of ‖Σ p_k (H_k − $H$)(g_k − $g$)‖²",
    width: WIDTH,
    height: HEIGHT,
    marks: [
      Plot.line(guide, { x: "at", y: "size", stroke: FAINT_INK, strokeWidth: 1, strokeDasharray: "1,2.5" }),
      Plot.line(points, { x: "spread", y: "square", z: "i", stroke: "color", strokeWidth: 1.1 }),
      Plot.dot(points, { x: "spread", y: "square", r: 2.4, fill: "color", symbol: symbolOf }),
    ],
    labels: [{ text: "($K$α + 1)⁻²", from: place(guide[0]), to: place(guide[1]) }],
  });
}

const ROWS = ["Dirichlet", "worst two", "random bins", "twin bins"] as const;

/** Ratios as parts of the median on Dirichlet partitions, one row a kind. */
function constructedPanel(cases: readonly AlignmentCase[], letter: string): Drawing {
  const dots = cases.flatMap((one) => {
    const ratios = one.points.map(({ mixture, hQ }) => mixture / hQ);
    const middle = median(ratios);
    const { worstContrast, randomBins, twinBins } = one.constructed;
    const style = caseStyle(one);
    return [
      ...ratios.map((ratio) => ({ ...style, row: ROWS[0], part: ratio / middle })),
      { ...style, row: ROWS[1], part: worstContrast / middle },
      { ...style, row: ROWS[2], part: randomBins / middle },
      { ...style, row: ROWS[3], part: twinBins / middle },
    ];
  });
  const positive = dots.filter(({ part }) => part > 1e-12);
  const low = Math.min(...positive.map(({ part }) => part)) / 4;
  const domain = [low, Math.max(...dots.map(({ part }) => part)) * 2] as const;
  const margins = {
    top: 5,
    right: 8,
    bottom: 32,
    left: 10 + Math.max(...ROWS.map((row) => textWidth(row, SIZE.tick))),
  };
  const ticks = decades(domain, 6);
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: HEIGHT + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "log", domain, axis: null },
    y: { type: "point", domain: [...ROWS], padding: 0.6, axis: null },
    marks: [
      Plot.ruleX(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleX([1], { stroke: FAINT_INK, strokeWidth: 0.75, strokeDasharray: "3,2" }),
      Plot.dot(positive, { x: "part", y: "row", r: 2.4, fill: "color", symbol: symbolOf, fillOpacity: 0.85 }),
      Plot.text(dots.some(({ part }) => part <= 1e-12) ? [ROWS[3]] : [], {
        x: () => domain[0],
        y: (row: string) => row,
        text: () => "← 0, exactly no drift",
        textAnchor: "start",
        dx: 3,
        fontSize: SIZE.tick,
        fill: INK,
      }),
      Plot.axisX(ticks, { anchor: "bottom", label: null, tickSize: 3, fill: "none" }),
      Plot.text(ticks, {
        x: (tick: number) => tick,
        text: powerLabels(ticks),
        frameAnchor: "bottom",
        lineAnchor: "top",
        dy: 6,
      }),
      Plot.text(ROWS, {
        y: (row: string) => row,
        text: (row: string) => row,
        frameAnchor: "left",
        textAnchor: "end",
        dx: -4,
      }),
    ],
  });
  return stack(
    [
      heading({ letter, title: "Where it fails" }, margins.left),
      framed(plot, margins, { x: "ratio to H_q, as a multiple of its median" }),
    ],
    3,
  );
}

function rangeOf(cases: readonly AlignmentCase[]): [number, number] {
  const ratios = cases.flatMap(({ points }) =>
    points.flatMap(({ mixture, realised, hQ }) => [mixture / hQ, realised / hQ]),
  );
  return [Math.min(...ratios) / 2, Math.max(...ratios) * 2];
}
