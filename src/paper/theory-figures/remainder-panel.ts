import * as Plot from "@observablehq/plot";
import type { Drawing } from "../../figures/compose.js";
import { arrowheads } from "../../figures/cut-intervals.js";
import { DASHES } from "../../figures/legend.js";
import { LEVEL_STYLES, type SeriesStyle } from "../../figures/palette.js";
import { FAINT_INK } from "../../figures/typography.js";
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
export const STEP_STYLES: readonly SeriesStyle[] = LEVEL_STYLES;

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
          strokeDasharray: dashed ? DASHES : undefined,
        }),
      ),
      ...series.flatMap(({ points, style, bound = [] }) => [
        Plot.line(bound.filter(finite), {
          x: "rate",
          y: "size",
          stroke: style.color,
          strokeWidth: 0.75,
          strokeOpacity: 0.75,
          strokeDasharray: DASHES,
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
      ...lines.map(({ points, stroke }) => leaving(points, y[1], stroke)),
      ...series.map(({ points, style }) => leaving(points, y[1], style.color)),
    ],
    labels: [...(options.labels ?? []), ...(guide && guideLine ? [guideLabel(guideLine, guide.label)] : [])],
  });
}

const finite = ({ size }: RatePoint): boolean => Number.isFinite(size) && size > 0;

/** Arrowheads where a line goes up beyond the axis. */
function leaving(points: readonly RatePoint[], top: number, stroke: string): Plot.Markish {
  const ordered = points.filter(finite).sort((a, b) => a.rate - b.rate);
  const places = ordered.flatMap((to, i) => {
    const from = ordered[i - 1];
    if (i === 0 || from.size > top || to.size <= top) return [];
    const part = Math.log(top / from.size) / Math.log(to.size / from.size);
    return [from.rate * (to.rate / from.rate) ** part];
  });
  return arrowheads(places, "up", { x: (rate: number) => rate, y: () => top, stroke });
}

function guideLabel([from, to]: readonly RatePoint[], text: string): LineLabel {
  return { text, from: [from.rate, from.size], to: [to.rate, to.size], below: true };
}

function guidePoints({ rate, size }: RatePoint, slope: number): RatePoint[] {
  return [0.1, 10].map((factor) => ({ rate: rate * factor, size: size * factor ** slope }));
}
