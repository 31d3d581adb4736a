import * as Plot from "@observablehq/plot";
import type { Limits } from "../colormaps.js";
import { plotMargins } from "../compose.js";
import { figureDocument } from "../document.js";
import { idTicks, tickLabels, ticksFitting } from "../ticks.js";
import { FAINT_INK, GRID, SIZE, textWidth } from "../typography.js";
import { extent } from "./extent.js";
import type { FieldFrame } from "./field-image.js";

/** A function of one variable. */
export interface SampledCurve {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** How one of several curves in a frame is told from the others. */
export interface CurveStyle {
  readonly color: string;
  /** Width of the line in pixels; default 1.25. */
  readonly width?: number;
  readonly dashes?: string;
  /** Marker of single numbers; hollow if told so. Default: a circle. */
  readonly symbol?: "circle" | "square" | "diamond";
  readonly hollow?: boolean;
}

export interface CurveOptions {
  /** Whether no line connects the values, as of a few descriptors. */
  readonly numbers?: boolean;
  /** What the vertical axis spans. Default: from the first tick to the last. */
  readonly domain?: Limits;
}

/** Pixels between markers of the same number. */
const APART = 5;

/** Curves over the same axis; `ticks` are those of the values. */
export function drawCurves(
  curves: readonly { readonly curve: SampledCurve; readonly style: CurveStyle }[],
  ticks: readonly number[],
  { width, height, margins, labelled, ticked = true }: FieldFrame,
  { numbers = false, domain = [ticks[0], ticks.at(-1)!] }: CurveOptions = {},
): Element {
  const { x } = curves[0].curve;
  const [low, high] = numbers ? [extent(x)[0] - 0.5, extent(x)[1] + 0.5] : extent(x);
  const xTicks = numbers ? numberTicks(low, high, width) : ticksFitting(low, high, width);
  const plain = { label: null, fontVariant: "normal" } as const;
  const has = typeof ticked === "boolean" ? { x: ticked, y: ticked } : ticked;
  return Plot.plot({
    document: figureDocument(),
    width: width + margins.left + margins.right,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [low, high], axis: null },
    y: { domain, axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.ruleY(domain[0] < 0 && domain[1] >= 0 ? [0] : [], {
        stroke: FAINT_INK,
        strokeWidth: 0.75,
        strokeDasharray: "3,2",
      }),
      ...curves.flatMap(({ curve, style }, i) =>
        numbers
          ? stems(curve, style, domain, Math.min(APART, width / x.length / 4) * (i - (curves.length - 1) / 2))
          : [line(curve, style, domain)],
      ),
      Plot.ruleY([domain[0]], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      has.x
        ? Plot.axisX(xTicks, {
            ...plain,
            tickSize: 3,
            tickPadding: 3,
            tickFormat: labelled.x ? (numbers ? String : tickLabels(xTicks).format) : () => "",
          })
        : null,
      has.y
        ? Plot.axisY(ticks, {
            ...plain,
            tickSize: 0,
            tickPadding: 4,
            tickFormat: labelled.y ? tickLabels(ticks).format : () => "",
          })
        : null,
    ],
  });
}

function line({ x, y }: SampledCurve, { color, width = 1.25, dashes }: CurveStyle, domain: Limits) {
  const points = Array.from(x, (place, i) => [place, y[i]] as const);
  return Plot.line(points, {
    stroke: color,
    strokeWidth: width,
    ...(dashes !== undefined && { strokeDasharray: dashes }),
    clip: isBeyond(y, domain),
  });
}

/** Markers on stems from zero, `dx` pixels beside their place. */
function stems({ x, y }: SampledCurve, style: CurveStyle, domain: Limits, dx: number) {
  const { color, symbol = "circle", hollow } = style;
  const foot = Math.min(domain[1], Math.max(domain[0], 0));
  const points = Array.from(x, (place, i) => ({ place, value: y[i] }));
  const clip = isBeyond(y, domain);
  return [
    Plot.ruleX(points, { x: "place", y1: foot, y2: "value", stroke: color, strokeWidth: 0.75, dx, clip }),
    Plot.dot(points, {
      ...{ x: "place", y: "value", symbol, r: 2.2, dx, stroke: color, strokeWidth: 0.9, clip },
      fill: hollow ? "#ffffff" : color,
    }),
  ];
}

/** Whole numbers, thinned until their labels fit. */
function numberTicks(low: number, high: number, width: number): number[] {
  const count = Math.round(high - low);
  return idTicks(count, width, textWidth(String(count - 1), SIZE.tick) + 5).map(
    (i) => i + Math.round(low + 0.5),
  );
}

/** Whether a curve leaves its frame, which then cuts it off. */
function isBeyond(y: ArrayLike<number>, [first, last]: Limits): boolean {
  const [low, high] = extent(y);
  return low < first || high > last;
}
