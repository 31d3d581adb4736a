import * as Plot from "@observablehq/plot";
import { type Drawing, framed, plotMargins } from "../compose.js";
import { figureDocument } from "../document.js";
import { idTicks } from "../ticks.js";
import { FAINT_INK, GRID, SIZE, textWidth } from "../typography.js";

const FILL = "#7d8ea3";

/** Share of each client in a bin, as small bars. Labels stand at the first column and under the last row. */
export function clientBars(
  counts: readonly number[],
  place: {
    readonly width: number;
    readonly left: number;
    readonly height: number;
    /** Largest share in the figure. */
    readonly largest: number;
    readonly isFirst: boolean;
    readonly isLast: boolean;
  },
): Drawing {
  const { width, left, height, largest, isFirst, isLast } = place;
  const total = Math.max(
    1,
    counts.reduce((a, b) => a + b, 0),
  );
  const top = Math.min(1, Math.ceil(largest * 10 - 1e-9) / 10);
  const shares = counts.map((count, client) => ({ client, share: count / total }));
  const dense = width / counts.length < 3;
  const margins = { top: 7, right: 0, bottom: isLast ? 28 : 2, left };
  const axis = { label: null, tickSize: 0, fontVariant: "normal" } as const;
  const plot = Plot.plot({
    document: figureDocument(),
    width: width + left,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "band", domain: counts.map((_, i) => i), padding: dense ? 0 : 0.2, round: false, axis: null },
    y: { domain: [0, top], axis: null },
    marks: [
      Plot.ruleY([top], { stroke: GRID, strokeWidth: 0.75 }),
      Plot.barY(shares, {
        x: "client",
        y: "share",
        fill: FILL,
        shapeRendering: dense ? "crispEdges" : undefined,
      }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      isFirst
        ? Plot.axisY([0, top], {
            ...axis,
            tickPadding: 4,
            tickFormat: (share: number) => (share === 0 ? "0" : `${Math.round(100 * share)} %`),
          })
        : null,
      isLast
        ? Plot.axisX(idTicks(counts.length, width, textWidth(String(counts.length - 1), SIZE.tick) + 5), {
            ...axis,
            tickPadding: 3,
          })
        : null,
    ],
  });
  return framed(plot, margins, isLast ? { x: "client" } : {});
}
