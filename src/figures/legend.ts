import * as Plot from "@observablehq/plot";
import { beside, caption, type Drawing, flow, framed } from "./compose.js";
import { figureDocument } from "./document.js";
import type { SeriesStyle } from "./palette.js";
import { FAINT_INK } from "./typography.js";

/** Ground of the ranges that the paper states. */
export const PAPER_BAND = "#cccccc";

/** A legend's entries in as many rows as they need to stay within `width`. */
export function legend(entries: readonly Drawing[], width: number): Drawing {
  return flow(entries, 14, width);
}

/** A line with its marker, and what it stands for. */
export function legendEntry(label: string, { color, symbol }: SeriesStyle): Drawing {
  return entry(label, [
    Plot.ruleY([HEIGHT / 2], { stroke: color, strokeWidth: 1.25 }),
    Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, fill: color }),
  ]);
}

/** A marker without a line. */
export function dotEntry(label: string, { color, symbol }: SeriesStyle): Drawing {
  return entry(label, [Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, fill: color })]);
}

/** A hollow marker without a line. */
export function hollowEntry(label: string, { color, symbol }: SeriesStyle): Drawing {
  return entry(label, [
    Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, stroke: color, strokeWidth: 0.9 }),
  ]);
}

/** The hollow marker by which the paper's values are shown, on the grey of its ranges where there are any. */
export function paperEntry(ranges = true): Drawing {
  return entry("paper", [
    Plot.rect(ranges ? [MIDDLE] : [], { x1: 0, x2: WIDTH, y1: 1, y2: HEIGHT - 1, fill: PAPER_BAND }),
    Plot.dot([MIDDLE], { x: "x", y: "y", symbol: "circle", r: 3.6, stroke: FAINT_INK, strokeWidth: 1 }),
  ]);
}

/** A thin line without a marker. */
export function thinEntry(label: string, color: string): Drawing {
  return entry(label, [Plot.ruleY([HEIGHT / 2], { stroke: color, strokeWidth: 0.75 })]);
}

const [WIDTH, HEIGHT] = [18, 10];
const MIDDLE = { x: WIDTH / 2, y: HEIGHT / 2 };

function entry(label: string, marks: readonly Plot.Markish[]): Drawing {
  const plot = Plot.plot({
    document: figureDocument(),
    width: WIDTH,
    height: HEIGHT,
    margin: 0,
    x: { domain: [0, WIDTH], axis: null },
    y: { domain: [0, HEIGHT], axis: null },
    marks: [...marks],
  });
  const key = framed(plot, { top: 0, right: 0, bottom: 0, left: 0 }, {});
  return beside([key, caption(label)], 4, "middle");
}
