/** Where bins lie from left to right, in pixels. The heat map and the transport plan below it share them. */
export interface Columns {
  readonly left: number;
  readonly width: number;
  /** Width of one bin. */
  readonly each: number;
  /** Room at the right of the bins: client sizes above, distances between clients below. */
  readonly beside: { readonly left: number; readonly width: number };
}

const LEFT = 46;
const GAP = 18;

/** The columns of so many bins in a given width. */
export function columnsOf(width: number, bins: number): Columns {
  const besideWidth = Math.round(Math.min(176, Math.max(110, 0.29 * width)));
  const own = Math.max(40, width - LEFT - GAP - besideWidth);
  return {
    left: LEFT,
    width: own,
    each: own / bins,
    beside: { left: LEFT + own + GAP, width: besideWidth },
  };
}
