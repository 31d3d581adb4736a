import type * as Plot from "@observablehq/plot";
import { FAINT_INK, SIZE, textLine } from "../../figures/typography.js";

/** Words along a straight line of a plot. */
export interface LineLabel {
  readonly text: string;
  /** Two places of the line, in the plot's own numbers. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Where between them the words stand; 0.5 unless told otherwise. */
  readonly at?: number;
  /** Above the line unless told otherwise. */
  readonly below?: boolean;
}

/** Writes words along lines of a finished plot, turned as the lines are on the paper. */
export function writeAlong(plot: ReturnType<typeof Plot.plot>, labels: readonly LineLabel[]): void {
  const [x, y] = [plot.scale("x")!, plot.scale("y")!];
  for (const { text, from, to, at = 0.5, below = false } of labels) {
    const [x1, y1, x2, y2] = [x.apply(from[0]), y.apply(from[1]), x.apply(to[0]), y.apply(to[1])];
    const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    const place = `${x1 + at * (x2 - x1)},${y1 + at * (y2 - y1)}`;
    plot.appendChild(
      textLine(text, {
        x: 0,
        y: below ? SIZE.tick * 1.15 : -4,
        size: SIZE.tick,
        anchor: "middle",
        fill: FAINT_INK,
        transform: `translate(${place}) rotate(${turn})`,
      }),
    );
  }
}
