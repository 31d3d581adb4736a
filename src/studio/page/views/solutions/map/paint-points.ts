import type { SeriesStyle } from "../../../../../figures/palette.js";
import type { MapFrame } from "./map-frame.js";
import { markPath, markRadius } from "./marks.js";

/** Samples of a map and how they are told apart. */
export interface PointsToPaint {
  /** Two numbers for each sample. */
  readonly points: ArrayLike<number>;
  /** Bin or client of each sample. */
  readonly groupOf: ArrayLike<number>;
  readonly styles: readonly SeriesStyle[];
  /** Whether a sample is painted. Default: all are. */
  readonly isShown?: (sample: number) => boolean;
  /** Whether a marker has an edge of ink and lies on top. */
  readonly isEdged: (sample: number) => boolean;
  readonly colors: { readonly ground: string; readonly ink: string };
}

/**
 * Paints the samples. Each kind of marker is drawn once and then copied, which makes ten thousand points a matter of
 * milliseconds.
 */
export function paintPoints(
  context: CanvasRenderingContext2D,
  frame: MapFrame,
  { points, groupOf, styles, isShown, isEdged, colors }: PointsToPaint,
  ratio: number,
): void {
  const radius = markRadius(groupOf.length);
  const size = Math.ceil((2 * radius + 5) * ratio);
  const copy = (style: SeriesStyle, edge: string, width: number) => {
    const canvas = new OffscreenCanvas(size, size);
    const own = canvas.getContext("2d")!;
    own.translate(size / 2, size / 2);
    own.scale(ratio, ratio);
    const path = new Path2D(markPath(style.symbol, radius));
    own.lineWidth = width;
    own.strokeStyle = edge;
    own.lineJoin = "round";
    own.stroke(path);
    own.fillStyle = style.color;
    own.fill(path);
    return canvas;
  };
  const plain = styles.map((style) => copy(style, colors.ground, 1));
  const withEdge = styles.map((style) => copy(style, colors.ink, 1.8));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  const paint = (isOnTop: boolean) => {
    for (let i = 0; i < groupOf.length; i++) {
      if (isShown?.(i) === false) continue;
      const hasEdge = isEdged(i);
      if (hasEdge !== isOnTop) continue;
      const [x, y] = [frame.x(points[2 * i]), frame.y(points[2 * i + 1])];
      context.drawImage(
        (hasEdge ? withEdge : plain)[groupOf[i]],
        Math.round(x * ratio - size / 2),
        Math.round(y * ratio - size / 2),
      );
    }
  };
  paint(false);
  paint(true);
}
