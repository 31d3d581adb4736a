import * as Plot from "@observablehq/plot";
import { plotMargins } from "../compose.js";
import { figureDocument } from "../document.js";
import { tickLabels, ticksFitting } from "../ticks.js";
import { FAINT_INK, GRID } from "../typography.js";
import type { FieldFrame } from "./field-image.js";

/** A function of one variable. */
export interface SampledCurve {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** The curve over its axis; `ticks` are those of the values, and the outermost bound the frame. */
export function drawCurve(
  { x, y }: SampledCurve,
  ticks: readonly number[],
  color: string,
  { width, height, margins, labelled, ticked = true }: FieldFrame,
): Element {
  const points = Array.from(x, (place, i) => [place, y[i]] as const);
  const [low, high] = extent(x);
  const xTicks = ticksFitting(low, high, width);
  const plain = { label: null, fontVariant: "normal" } as const;
  return Plot.plot({
    document: figureDocument(),
    width: width + margins.left + margins.right,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [low, high], axis: null },
    y: { domain: [ticks[0], ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY(ticks[0] < 0 ? [0] : [], { stroke: FAINT_INK, strokeWidth: 0.75, strokeDasharray: "3,2" }),
      Plot.line(points, { stroke: color, strokeWidth: 1.25, clip: isBeyond(y, ticks) }),
      Plot.ruleY([ticks[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      ...(ticked
        ? [
            Plot.axisX(xTicks, {
              ...plain,
              tickSize: 3,
              tickPadding: 3,
              tickFormat: labelled.x ? tickLabels(xTicks).format : () => "",
            }),
            Plot.axisY(ticks, {
              ...plain,
              tickSize: 0,
              tickPadding: 4,
              tickFormat: tickLabels(ticks).format,
            }),
          ]
        : []),
    ],
  });
}

/** Whether a curve leaves its frame, which then cuts it off. */
function isBeyond(y: ArrayLike<number>, ticks: readonly number[]): boolean {
  const [low, high] = extent(y);
  return low < ticks[0] || high > ticks.at(-1)!;
}

/** The smallest and the largest of them that are finite. */
export function extent(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return low <= high ? [low, high] : [0, 0];
}
