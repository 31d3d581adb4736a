import { ticksFitting } from "../../../../../figures/ticks.js";

/** Room around the points for ticks and names of axes, in pixels. */
export const MARGINS = { left: 46, right: 12, top: 10, bottom: 38 } as const;
/** Part of the frame that stays free at each side of the points. */
const FREE = 0.045;

/** How places on the map become pixels. One scale for both axes: distances in all directions can be compared. */
export interface MapFrame {
  readonly width: number;
  readonly height: number;
  /** Pixels of one unit. */
  readonly unit: number;
  x(value: number): number;
  y(value: number): number;
  /** The place on the map under a pixel. */
  placeAt(x: number, y: number): readonly [number, number];
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
}

/** The frame of these points, two numbers each, in so many pixels. */
export function mapFrame(points: ArrayLike<number>, width: number, height: number): MapFrame {
  const inner = {
    width: Math.max(1, width - MARGINS.left - MARGINS.right),
    height: Math.max(1, height - MARGINS.top - MARGINS.bottom),
  };
  const [left, right] = range(points, 0);
  const [low, high] = range(points, 1);
  const fit = (pixels: number, span: number) =>
    span > 0 ? (pixels * (1 - 2 * FREE)) / span : Number.POSITIVE_INFINITY;
  const found = Math.min(fit(inner.width, right - left), fit(inner.height, high - low));
  const unit = Number.isFinite(found) ? found : Math.min(inner.width, inner.height) / 2;
  const middle = { x: (left + right) / 2, y: (low + high) / 2 };
  const centre = { x: MARGINS.left + inner.width / 2, y: MARGINS.top + inner.height / 2 };
  const placeAt = (x: number, y: number) =>
    [middle.x + (x - centre.x) / unit, middle.y - (y - centre.y) / unit] as const;
  const [first, bottom] = placeAt(MARGINS.left, height - MARGINS.bottom);
  const [last, top] = placeAt(width - MARGINS.right, MARGINS.top);
  return {
    width,
    height,
    unit,
    x: (value) => centre.x + (value - middle.x) * unit,
    y: (value) => centre.y - (value - middle.y) * unit,
    placeAt,
    xTicks: ticksFitting(first, last, inner.width),
    yTicks: ticksFitting(bottom, top, inner.height * 1.4),
  };
}

function range(points: ArrayLike<number>, axis: 0 | 1): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = axis; i < points.length; i += 2) {
    low = Math.min(low, points[i]);
    high = Math.max(high, points[i]);
  }
  return low <= high ? [low, high] : [0, 0];
}
