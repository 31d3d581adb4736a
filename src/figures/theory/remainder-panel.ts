import * as Plot from "@observablehq/plot";
import type { Drawing } from "../compose.js";
import { SETTING_STYLES, type SeriesStyle } from "../palette.js";
import { FAINT_INK, INK, SIZE } from "../typography.js";
import type { LineLabel } from "./along-line.js";
import { logPanel } from "./log-panel.js";

/** A length at a learning rate. */
export interface RatePoint {
  readonly rate: number;
  readonly size: number;
}

export interface RateSeries {
  readonly points: readonly RatePoint[];
  readonly style: SeriesStyle;
  /** Its upper bound, dashed in the same colour. */
  readonly bound?: readonly RatePoint[];
}

export interface RemainderPanelOptions {
  readonly letter: string;
  readonly title: string;
  readonly subtitle?: string;
  readonly yLabel: string;
  readonly width: number;
  readonly height: number;
  readonly y: readonly [number, number];
  readonly rates: readonly [number, number];
  readonly series: readonly RateSeries[];
  /** Quantities beside the remainders: lines without markers. */
  readonly lines?: readonly {
    readonly points: readonly RatePoint[];
    readonly stroke: string;
    readonly dashed?: boolean;
  }[];
  /** Words along lines. */
  readonly labels?: readonly LineLabel[];
  /** A dotted line of this slope, a decade to either side of a point, and its name. */
  readonly guide?: { readonly through: RatePoint; readonly slope: number; readonly label: string };
}

/** Colours and markers of numbers of local steps, in ascending order. */
export const STEP_STYLES: readonly SeriesStyle[] = SETTING_STYLES;

/** Remainders over the learning rate, both logarithmic. */
export function remainderPanel(options: RemainderPanelOptions): Drawing {
  const { series, lines = [], guide, rates, y } = options;
  const within = ({ size }: RatePoint) => Number.isFinite(size) && size >= y[0] && size <= y[1];
  const guideLine = guide && guidePoints(guide.through, guide.slope);
  return logPanel({
    ...options,
    x: rates,
    xLabel: "learning rate η",
    marks: [
      ...(guideLine
        ? [
            Plot.line(guideLine, {
              x: "rate",
              y: "size",
              stroke: FAINT_INK,
              strokeWidth: 1,
              strokeDasharray: "1,2.5",
            }),
          ]
        : []),
      ...lines.map(({ points, stroke, dashed }) =>
        Plot.line(points.filter(finite), {
          x: "rate",
          y: "size",
          stroke,
          strokeWidth: 1.1,
          strokeDasharray: dashed ? "4,2.5" : undefined,
        }),
      ),
      ...series.flatMap(({ points, style, bound = [] }) => [
        Plot.line(bound.filter(finite), {
          x: "rate",
          y: "size",
          stroke: style.color,
          strokeWidth: 0.75,
          strokeOpacity: 0.75,
          strokeDasharray: "4,2.5",
        }),
        Plot.line(points.filter(finite), { x: "rate", y: "size", stroke: style.color, strokeWidth: 1.1 }),
        Plot.dot(points.filter(within), {
          x: "rate",
          y: "size",
          r: 2.4,
          fill: style.color,
          symbol: style.symbol,
          stroke: "#ffffff",
          strokeWidth: 0.4,
        }),
      ]),
      ...(guide
        ? [
            Plot.text([guide.through], {
              x: "rate",
              y: "size",
              text: () => guide.label,
              fontSize: SIZE.tick,
              fill: INK,
              dx: 6,
              dy: 7,
              textAnchor: "start",
            }),
          ]
        : []),
    ],
  });
}

const finite = ({ size }: RatePoint): boolean => Number.isFinite(size) && size > 0;

function guidePoints({ rate, size }: RatePoint, slope: number): RatePoint[] {
  return [0.1, 10].map((factor) => ({ rate: rate * factor, size: size * factor ** slope }));
}
