import * as Plot from "@observablehq/plot";

/** What a quantity can be at least and at most. Student's t knows nothing of it: an interval may go beyond. */
export type Bounds = readonly [least: number, most: number];

export const UNBOUNDED: Bounds = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
export const NOT_NEGATIVE: Bounds = [0, Number.POSITIVE_INFINITY];

/** What measurements can be; others are not bounded. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  d_sol: NOT_NEGATIVE,
  cv_n: NOT_NEGATIVE,
  eps_part: NOT_NEGATIVE,
  eps_quant: NOT_NEGATIVE,
  h_g_norm: [0, 1],
  d_theta: NOT_NEGATIVE,
};

export function boundsOf(measurement: string): Bounds {
  return BOUNDS[measurement] ?? UNBOUNDED;
}

/** The value itself, or the bound that it is beyond. */
export function within(value: number, [least, most]: Bounds): number {
  return Math.min(most, Math.max(least, value));
}

/** What a caption says of {@link arrowheads}. */
export const ARROWHEAD_WORDS = "Arrowheads mark intervals that go on beyond what is drawn.";

const TURNS = { up: 0, right: 90, down: 180, left: 270 } as const;
/** Half the width of an arrowhead, and its height. */
const SIZE = 2.6;
const ARROWHEAD = {
  draw(context: CanvasPath) {
    context.moveTo(0, 0);
    context.lineTo(0, -SIZE);
    context.moveTo(-SIZE, 0);
    context.lineTo(0, -SIZE);
    context.lineTo(SIZE, 0);
  },
};

/**
 * Arrowheads just beyond the places where something is cut off, as a sign that it goes on. Open ones, since triangles are
 * markers, and outside the plot, where no marker hides them.
 */
export function arrowheads<T>(
  places: readonly T[],
  direction: keyof typeof TURNS,
  options: Plot.DotOptions,
): Plot.Markish {
  return Plot.dot(places, {
    strokeWidth: 1.1,
    ...options,
    symbol: ARROWHEAD,
    fill: "none",
    rotate: TURNS[direction],
    clip: false,
  });
}
