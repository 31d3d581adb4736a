import * as Plot from "@observablehq/plot";
import { encodePng } from "../../files/png.js";
import { type ColorScale, colorIndices, colorPalette } from "../colormaps.js";
import { type Margins, plotMargins } from "../compose.js";
import { figureDocument } from "../document.js";
import { svg } from "../svg.js";
import { tickLabels, ticksFitting } from "../ticks.js";
import { FAINT_INK } from "../typography.js";

/** An axis of a picture, from the outer edge of its first cell to that of its last. */
export interface ImageAxis {
  readonly label: string;
  /** The edge at the left, or at the top. */
  readonly start: number;
  /** The edge at the right, or at the bottom: below `start` where the axis points upwards. */
  readonly end: number;
}

/** A field on a regular grid as a picture. */
export interface FieldImage {
  /** Values row by row from the top left, `x` running faster; NaN is masked. */
  readonly values: ArrayLike<number>;
  readonly columns: number;
  readonly rows: number;
  readonly x: ImageAxis;
  readonly y: ImageAxis;
  /** Linear between the values, for samples of functions. Default false: every cell has one colour. */
  readonly smooth?: boolean;
}

export interface FieldFrame {
  readonly width: number;
  readonly height: number;
  readonly margins: Margins;
  /** Which axes have labels. */
  readonly labelled: { readonly x: boolean; readonly y: boolean };
  /** Whether there are ticks at all, along both axes or each. Default true. */
  readonly ticked?: boolean | { readonly x: boolean; readonly y: boolean };
}

/** Ticks of an axis along so many pixels. */
export function axisTicks({ start, end }: ImageAxis, length: number): number[] {
  return ticksFitting(Math.min(start, end), Math.max(start, end), length);
}

/** The field in its frame, with ticks outside of it. */
export function drawFieldImage(field: FieldImage, scale: ColorScale, frame: FieldFrame): Element {
  const { width, height, margins, labelled, ticked = true } = frame;
  const { x, y } = field;
  const has = typeof ticked === "boolean" ? { x: ticked, y: ticked } : ticked;
  const axis = (ticks: readonly number[], shown: boolean) => ({
    label: null,
    tickSize: 3,
    tickPadding: 3,
    fontVariant: "normal",
    tickFormat: shown ? tickLabels(ticks).format : () => "",
  });
  const xTicks = axisTicks(x, width);
  const yTicks = axisTicks(y, height * 1.6); // labels of a vertical axis are low
  return Plot.plot({
    document: figureDocument(),
    width: width + margins.left + margins.right,
    height: height + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { domain: [x.start, x.end], axis: null },
    y: { domain: [y.end, y.start], axis: null },
    marks: [
      () => image(field, scale, { x: margins.left, y: margins.top, width, height }),
      Plot.frame({ stroke: FAINT_INK, strokeWidth: 0.75 }),
      has.x ? Plot.axisX(xTicks, axis(xTicks, labelled.x)) : null,
      has.y ? Plot.axisY(yTicks, axis(yTicks, labelled.y)) : null,
    ],
  });
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels of an embedded picture per pixel of the figure at least: what 300 an inch show. */
const SHARPNESS = 3;

/**
 * The field as an embedded PNG. It is enlarged here: whether a viewer that enlarges a picture keeps the edges of its
 * pixels differs between browsers, resvg and readers of PDF.
 */
function image(field: FieldImage, scale: ColorScale, place: Place): SVGElement {
  const across = Math.ceil((SHARPNESS * place.width) / field.columns);
  const down = Math.ceil((SHARPNESS * place.height) / field.rows);
  const pixels = field.smooth
    ? colorIndices(interpolated(field, across, down), scale)
    : repeated(colorIndices(field.values, scale), field.columns, across, down);
  const png = encodePng({
    width: field.columns * across,
    height: field.rows * down,
    pixels,
    palette: colorPalette(scale.colormap),
  });
  return svg("image", {
    ...place,
    href: `data:image/png;base64,${base64(png)}`,
    preserveAspectRatio: "none",
  });
}

/** Every pixel `across` times `down` times. */
function repeated(pixels: Uint8Array, columns: number, across: number, down: number): Uint8Array {
  const large = new Uint8Array(pixels.length * across * down);
  const width = columns * across;
  for (let i = 0, at = 0; i < pixels.length; i += columns) {
    const row = at;
    for (let column = 0; column < columns; column++, at += across)
      large.fill(pixels[i + column], at, at + across);
    for (let copy = 1; copy < down; copy++, at += width) large.copyWithin(at, row, row + width);
  }
  return large;
}

/** Values at as many places, linear between the middles of cells. */
function interpolated({ values, columns, rows }: FieldImage, across: number, down: number): Float64Array {
  const large = new Float64Array(columns * across * rows * down);
  const [xs, ys] = [neighbours(columns, across), neighbours(rows, down)];
  ys.forEach(({ from, to, weight }, row) => {
    xs.forEach((x, column) => {
      const along = (line: number) =>
        values[line * columns + x.from] * (1 - x.weight) + values[line * columns + x.to] * x.weight;
      large[row * xs.length + column] = along(from) * (1 - weight) + along(to) * weight;
    });
  });
  return large;
}

/** Between which cells the places of an enlarged axis lie, and how far on the way. */
function neighbours(cells: number, times: number): { from: number; to: number; weight: number }[] {
  return Array.from({ length: cells * times }, (_, i) => {
    const at = Math.min(cells - 1, Math.max(0, (i + 0.5) / times - 0.5));
    const from = Math.floor(at);
    return { from, to: Math.min(cells - 1, from + 1), weight: at - from };
  });
}

/** In a page as in Node. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
