import * as Plot from "@observablehq/plot";
import { beside, caption, type Drawing, flow, framed } from "./compose.js";
import { figureDocument } from "./document.js";
import type { SeriesStyle } from "./palette.js";
import { COLUMN_WIDTH, FAINT_INK, SIZE, shortened } from "./typography.js";

/** Ground of the ranges that the paper states. */
export const PAPER_BAND = "#cccccc";

/** A legend's entries in as many rows as they need to stay within `width`. */
export function legend(entries: readonly Drawing[], width: number): Drawing {
  return flow(entries, 14, width);
}

/** A line with its marker, and what it stands for. */
export function legendEntry(label: string, { color, symbol }: SeriesStyle, dashed = false): Drawing {
  const strokeDasharray = dashed ? DASHES : undefined;
  return entry(label, [
    Plot.ruleY([HEIGHT / 2], { stroke: color, strokeWidth: 1.25, strokeDasharray }),
    Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, fill: color }),
  ]);
}

/** A marker without a line. */
export function dotEntry(label: string, { color, symbol }: SeriesStyle): Drawing {
  return entry(label, [Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, fill: color })]);
}

/** A small dot, such as a single seed is shown by. */
export function smallDotEntry(
  label: string,
  { color, r, fillOpacity }: { readonly color: string; readonly r: number; readonly fillOpacity: number },
): Drawing {
  return entry(label, [Plot.dot([MIDDLE], { x: "x", y: "y", r, fill: color, fillOpacity })]);
}

/** A hollow marker without a line. */
export function hollowEntry(label: string, { color, symbol }: SeriesStyle): Drawing {
  return entry(label, [
    Plot.dot([MIDDLE], { x: "x", y: "y", symbol, r: 2.6, stroke: color, strokeWidth: 0.9 }),
  ]);
}

/** The signs by which the paper is shown: hollow markers, hollow bars for ranges, and grey for ranges over all series. */
export function paperEntry(cited: {
  readonly values?: boolean;
  readonly ranges?: boolean;
  readonly bands?: boolean;
}): Drawing {
  const hollow = { fill: "#ffffff", stroke: FAINT_INK, strokeWidth: 1 };
  const [first, second] = cited.values && cited.ranges ? [4.5, WIDTH - 4.5] : [WIDTH / 2, WIDTH / 2];
  return entry("paper", [
    Plot.rect(cited.bands ? [MIDDLE] : [], { x1: 0, x2: WIDTH, y1: 1, y2: HEIGHT - 1, fill: PAPER_BAND }),
    Plot.dot(cited.values ? [MIDDLE] : [], { x: () => first, y: "y", r: 2.6, ...hollow }),
    Plot.rect(cited.ranges ? [MIDDLE] : [], {
      x1: second - 2.6,
      x2: second + 2.6,
      y1: 1.5,
      y2: HEIGHT - 1.5,
      ...hollow,
    }),
  ]);
}

/** A line without a marker, thin unless told otherwise. */
export function lineEntry(
  label: string,
  {
    color,
    width = 0.75,
    dashed = false,
  }: { readonly color: string; readonly width?: number; readonly dashed?: boolean },
): Drawing {
  const strokeDasharray = dashed ? DASHES : undefined;
  return entry(label, [Plot.ruleY([HEIGHT / 2], { stroke: color, strokeWidth: width, strokeDasharray })]);
}

/** Of dashed lines, in plots and legends alike. */
export const DASHES = "4,2.5";

const [WIDTH, HEIGHT] = [18, 10];
/** So that an entry fits a column, the narrowest figure. */
const LONGEST_LABEL = COLUMN_WIDTH - 8 - WIDTH - 4;
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
  return beside([key, caption(shortened(label, LONGEST_LABEL, SIZE.label))], 4, "middle");
}
