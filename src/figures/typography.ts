import { type Run, runs } from "../analysis/notation.js";
import { svg } from "./svg.js";

export const FONT_FAMILY = "Inter, Helvetica, Arial, sans-serif";

/** Widths in print of one column and of the page, 89 and 183 mm, in CSS pixels (96 an inch). */
export const COLUMN_WIDTH = 336;
export const PRINT_WIDTH = 692;

/** Type sizes in CSS pixels: 10, 9, 8 and 7.5 pt at print width; counts in cells shrink from 6 pt to 4 pt. */
export const SIZE = {
  title: 13.33,
  panel: 12,
  label: 10.67,
  tick: 10,
  largestCount: 8,
  smallestCount: 5.33,
} as const;

export const INK = "#1a1a1a";
export const FAINT_INK = "#5c5c5c";
export const GRID = "#e2e2e2";

// Advance widths of Inter Regular from U+0020 to U+007E, in hundredths of the size.
const ADVANCES = [
  28, 29, 47, 63, 64, 98, 64, 30, 36, 36, 50, 66, 29, 46, 29, 36, 63, 41, 61, 62, 65, 59, 62, 57, 62, 62, 29,
  30, 66, 66, 66, 51, 97, 69, 65, 73, 72, 60, 59, 75, 74, 27, 57, 67, 57, 90, 75, 76, 64, 76, 64, 64, 65, 74,
  69, 99, 68, 68, 63, 36, 36, 36, 47, 46, 32, 56, 61, 57, 61, 58, 37, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61,
  61, 38, 53, 33, 59, 56, 82, 55, 56, 55, 43, 33, 43, 66,
];
const OTHER_ADVANCE = 66; // α, ×, − and most capitals
const SEMIBOLD = 600;
const SCRIPT = 0.72; // size of a subscript or superscript beside its base

/** Width of a line of text in pixels, known without a browser. Helvetica and Arial are narrower than Inter. */
export function textWidth(text: string, size: number, weight = 400): number {
  const widen = weight >= SEMIBOLD ? 1.035 : 1;
  const parts = runs(text);
  return parts.reduce((sum, run, i) => {
    const width = runWidth(run, size) * widen;
    // A superscript stands over the subscript before it: the two take the room of the wider one.
    return sum + (isRaised(parts, i) ? Math.max(0, width - runWidth(parts[i - 1], size) * widen) : width);
  }, 0);
}

function runWidth({ text, script }: Run, size: number): number {
  const hundredths = Array.from(text, (sign) => ADVANCES[sign.codePointAt(0)! - 32] ?? OTHER_ADVANCE);
  return (hundredths.reduce((a, b) => a + b, 0) / 100) * size * (script ? SCRIPT : 1);
}

/** Whether this run is the superscript over a subscript, as in H_g^norm. */
function isRaised(parts: readonly Run[], i: number): boolean {
  return parts[i].script === "super" && parts[i - 1]?.script === "sub";
}

/** How much farther than its superscript the subscript before this run reaches, as in c_min^2. */
function beyondSubscript(parts: readonly Run[], i: number, size: number): number | undefined {
  if (i < 2 || !isRaised(parts, i - 1)) return undefined;
  const beyond = runWidth(parts[i - 2], size) - runWidth(parts[i - 1], size);
  return beyond > 0 ? beyond : undefined;
}

/** Text that takes no more than `room` pixels: what is too long loses signs in its middle, where names differ least. */
export function shortened(text: string, room: number, size: number, weight = 400): string {
  if (textWidth(text, size, weight) <= room) return text;
  for (let kept = text.length - 1; kept > 2; kept--) {
    const head = closed(text.slice(0, Math.ceil(kept / 2)).trimEnd(), "end");
    const tail = closed(text.slice(text.length - Math.floor(kept / 2)).trimStart(), "start");
    const short = `${head}…${tail}`;
    if (textWidth(short, size, weight) <= room) return short;
  }
  return "…";
}

/** Part of a text with the backtick that was cut off. */
function closed(part: string, side: "start" | "end"): string {
  const isOpen = part.split("`").length % 2 === 0;
  return isOpen ? (side === "end" ? `${part}\`` : `\`${part}`) : part;
}

export interface TextStyle {
  readonly x: number;
  /** Height of the baseline. */
  readonly y: number;
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly fill?: string;
  readonly transform?: string;
}

/** A line of text as an SVG element, with its mathematics set by {@link runs}. */
export function textLine(text: string, style: TextStyle): SVGElement {
  const { x, y, size = SIZE.label, weight, anchor = "start", fill = INK, transform } = style;
  const parts = runs(text);
  // Scripts are moved by dy and the next run moved back: baseline-shift is unknown to Firefox.
  let shift = 0;
  const children = parts.map((run, i) => {
    const wanted = run.script === "sub" ? size * 0.22 : run.script === "super" ? size * -0.36 : 0;
    const dy = wanted === shift ? undefined : wanted - shift;
    shift = wanted;
    const dx = isRaised(parts, i) ? -runWidth(parts[i - 1], size) : beyondSubscript(parts, i, size);
    if (!run.italic && dy === undefined && dx === undefined) return run.text;
    const fontSize = run.script ? size * SCRIPT : undefined;
    return svg(
      "tspan",
      { dx, dy, "font-size": fontSize, "font-style": run.italic ? "italic" : undefined },
      run.text,
    );
  });
  const attributes = {
    x,
    y,
    fill,
    "font-size": size,
    "font-weight": weight,
    "text-anchor": anchor,
    transform,
  };
  return svg("text", attributes, ...children);
}
