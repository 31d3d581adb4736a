import * as Plot from "@observablehq/plot";
import { type Drawing, figure, grid } from "../../figures/compose.js";
import { DASHES, legend, legendEntry, lineEntry } from "../../figures/legend.js";
import type { SeriesStyle } from "../../figures/palette.js";
import { FAINT_INK, INK, PRINT_WIDTH, SIZE } from "../../figures/typography.js";
import { activationName, startName } from "../theory/cases.js";
import type { DispersionCase, DispersionEvidence } from "../theory/evidence/local-dispersion-evidence.js";
import type { LineLabel } from "./along-line.js";
import { logPanel } from "./log-panel.js";
import { remainderPanel, STEP_STYLES } from "./remainder-panel.js";

const GAP = 14;
const WIDTH = (PRINT_WIDTH - 8 - GAP) / 2;
const HEIGHT = 128;
const POINTS = [
  { start: "initial", color: INK, symbol: "circle" },
  { start: "trained", color: "#7a5195", symbol: "diamond" },
] as const;

/** Distances of dispersion from its leading term, with their bounds, and what mini-batches add. */
export function localDispersionFigure({ cases }: DispersionEvidence): string {
  const starts = [...new Set(cases.map(({ start }) => start))];
  const ordered = starts.flatMap((start) => cases.filter((one) => one.start === start));
  const range = rangeOf(cases);
  const steps = [...new Set(cases[0].points.map((point) => point.steps))];
  const kinds = [true, false].map((smooth) => cases.filter((one) => one.smooth === smooth));
  const letter = (i: number) => String.fromCharCode(97 + i);
  const panels = [
    ...ordered.map((one, i) => panel(one, steps, range, letter(i))),
    ...kinds.map((some, i) => noisyPanel(some, noisyRange(cases), letter(ordered.length + i))),
  ];
  return figure(grid(panels, 2, { x: GAP, y: 12 }), {
    name: "Dispersion of clients after local steps",
    description:
      "Distance of the dispersion from its leading term over the learning rate with its bound, and the dispersion of " +
      "mini-batch steps as a multiple of that of full gradients.",
    legend: legend(
      [
        ...steps.map((count, i) => legendEntry(`E = ${count}`, STEP_STYLES[i])),
        ...kinds[0].map((one) => legendEntry(`mini-batches, ${startName(one)}`, styleOf(one))),
        lineEntry("bound, expectation", { color: FAINT_INK, width: 1, dashed: true }),
      ],
      PRINT_WIDTH - 8,
    ),
    width: PRINT_WIDTH,
  });
}

const styleOf = ({ start }: DispersionCase) => POINTS.find((style) => style.start === start)!;

function panel(
  one: DispersionCase,
  steps: readonly number[],
  y: readonly [number, number],
  letter: string,
): Drawing {
  const rates = one.points.map(({ rate }) => rate);
  return remainderPanel({
    letter,
    title: `${activationName(one)}, ${startName(one)}`,
    yLabel: "|√D_loc − η $E$ √H_g|",
    width: WIDTH,
    height: HEIGHT,
    y,
    rates: [Math.min(...rates) / 1.5, Math.max(...rates) * 1.5],
    series: steps.map((count, i) => {
      const some = one.points.filter((point) => point.steps === count);
      return {
        style: STEP_STYLES[i],
        points: some.map(({ rate, dispersion, leading }) => ({ rate, size: Math.abs(dispersion - leading) })),
        bound: some.map(({ rate, bound }) => ({ rate, size: bound })),
      };
    }),
    labels: boundLabel(one, steps),
  });
}

/** Words along the uppermost bound, where it is straight. */
function boundLabel({ points }: DispersionCase, steps: readonly number[]): LineLabel[] {
  const most = points.filter((point) => point.steps === Math.max(...steps)).sort((a, b) => a.rate - b.rate);
  const place = ({ rate, bound }: (typeof most)[number]) => [rate, bound] as const;
  const [from, to] = [most[0], most[Math.floor(most.length / 2)]];
  return to.bound > from.bound && from.bound > 0
    ? [{ text: "bound R_E", from: place(from), to: place(to) }]
    : [];
}

function noisyPanel(cases: readonly DispersionCase[], y: readonly [number, number], letter: string): Drawing {
  const points = cases.flatMap((one) =>
    leadingOrder(one).map(({ batch, mean, standardError, expected, leading }) => ({
      batch,
      ...styleOf(one),
      ratio: mean / leading ** 2,
      low: (mean - 2 * standardError) / leading ** 2,
      high: (mean + 2 * standardError) / leading ** 2,
      expected: expected / leading ** 2,
    })),
  );
  const batches = points.map(({ batch }) => batch);
  const x = [Math.min(...batches) / 1.6, Math.max(...batches) * 1.6] as const;
  return logPanel({
    letter,
    title: `${activationName(cases[0])}, mini-batches`,
    x,
    y,
    xLabel: "samples of a batch",
    yLabel: "D_loc / (η² $E$² H_g)",
    width: WIDTH,
    height: HEIGHT * 0.8,
    marks: [
      Plot.ruleY([1], { stroke: FAINT_INK, strokeWidth: 1 }),
      Plot.text([1], {
        x: () => x[0],
        y: () => 1,
        text: () => "full gradients",
        textAnchor: "start",
        dx: 4,
        dy: 7,
        fontSize: SIZE.tick,
        fill: FAINT_INK,
      }),
      Plot.line(points, {
        x: "batch",
        y: "expected",
        z: "start",
        stroke: "color",
        strokeWidth: 1,
        strokeDasharray: DASHES,
      }),
      Plot.ruleX(points, { x: "batch", y1: "low", y2: "high", stroke: "color", strokeWidth: 1 }),
      Plot.dot(points, {
        x: "batch",
        y: "ratio",
        r: 2.6,
        fill: "color",
        symbol: (point: SeriesStyle) => point.symbol,
      }),
    ],
  });
}

/** Mini-batch steps at the smallest learning rate. */
function leadingOrder({ noisy }: Pick<DispersionCase, "noisy">): DispersionCase["noisy"] {
  const smallest = Math.min(...noisy.map(({ rate }) => rate));
  return noisy.filter(({ rate }) => rate === smallest);
}

function rangeOf(cases: readonly DispersionCase[]): [number, number] {
  const sizes = cases.flatMap(({ points }) =>
    points.flatMap(({ dispersion, leading, bound }) => [Math.abs(dispersion - leading), bound]),
  );
  const positive = sizes.filter((size) => size > 0 && Number.isFinite(size));
  return [Math.min(...positive) / 3, Math.min(1e3, Math.max(...positive) * 3)];
}

function noisyRange(cases: readonly DispersionCase[]): [number, number] {
  const ratios = cases.flatMap(({ noisy }) =>
    leadingOrder({ noisy }).map(
      ({ mean, standardError, leading }) => (mean + 2 * standardError) / leading ** 2,
    ),
  );
  return [0.5, Math.max(10, ...ratios) * 1.5];
}
