import * as Plot from "@observablehq/plot";
import {
  axisRoom,
  type Drawing,
  framed,
  type Heading,
  heading,
  plotMargins,
  stack,
} from "../../figures/compose.js";
import { figureDocument } from "../../figures/document.js";
import { powerLabels } from "../../figures/ticks.js";
import { FAINT_INK, GRID } from "../../figures/typography.js";
import { type LineLabel, writeAlong } from "./along-line.js";

export interface LogPanelOptions extends Heading {
  /** Ends of the axes, both positive; `x` may run from large to small. */
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly xLabel: string;
  readonly yLabel: string;
  /** Where lines of the grid end; at the right end of `x` unless told otherwise. */
  readonly gridEnd?: number;
  /** Powers of ten within `x` unless told otherwise. */
  readonly xTicks?: readonly number[];
  /** Room left of the plot, which panels above each other share; as the labels need it unless told otherwise. */
  readonly left?: number;
  readonly width: number;
  /** Of the plot within its axes. */
  readonly height: number;
  readonly marks: readonly Plot.Markish[];
  readonly labels?: readonly LineLabel[];
}

const TICK_ROOM = 34;

/** A panel with two logarithmic axes, ticks at powers of ten and its heading. */
export function logPanel(options: LogPanelOptions): Drawing {
  const { x, y, xLabel, yLabel, width, height, marks } = options;
  const yTicks = decades(y, height / 18);
  const labels = yTicks.map(powerLabels(yTicks));
  const margins = { top: 5, right: 8, bottom: 32, left: options.left ?? axisRoom(labels) };
  const xTicks = options.xTicks ?? decades(x, (width - margins.left - margins.right) / TICK_ROOM);
  const plot = Plot.plot({
    document: figureDocument(),
    width,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    clip: true,
    x: { type: "log", domain: x, axis: null },
    y: { type: "log", domain: y, axis: null },
    marks: [
      Plot.ruleY(yTicks, { x1: x[0], x2: options.gridEnd ?? x[1], stroke: GRID, strokeWidth: 0.75 }),
      ...marks,
      Plot.ruleY([y[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      ...logAxis(xTicks),
      Plot.text(yTicks, {
        y: (tick: number) => tick,
        text: powerLabels(yTicks),
        frameAnchor: "left",
        textAnchor: "end",
        dx: -4,
        clip: false,
      }),
    ],
  });
  writeAlong(plot, options.labels ?? []);
  return stack([heading(options, margins.left), framed(plot, margins, { x: xLabel, y: yLabel })], 3);
}

/** The lower axis of a logarithmic scale. Plot's own leaves out labels on such a scale as it sees fit. */
export function logAxis(ticks: readonly number[]): Plot.Markish[] {
  return [
    Plot.axisX(ticks, { anchor: "bottom", label: null, tickSize: 3, fill: "none", clip: false }),
    Plot.text(ticks, {
      x: (tick: number) => tick,
      text: powerLabels(ticks),
      frameAnchor: "bottom",
      lineAnchor: "top",
      dy: 6,
      clip: false,
    }),
  ];
}

/** Powers of ten between two numbers, thinned to at most `most`. */
export function decades(ends: readonly [number, number], most: number): number[] {
  const [low, high] = [Math.min(...ends), Math.max(...ends)].map(Math.log10);
  const first = Math.ceil(low - 1e-9);
  const last = Math.floor(high + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, Math.floor(most))));
  const ticks: number[] = [];
  for (let power = first; power <= last; power++)
    if (power % step === 0 || step === 1) ticks.push(Number(`1e${power}`));
  return ticks;
}
