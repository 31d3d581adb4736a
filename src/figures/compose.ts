import { unmarked } from "../analysis/notation.js";
import { serialize, svg } from "./svg.js";
import {
  COLUMN_WIDTH,
  FONT_FAMILY,
  INK,
  PRINT_WIDTH,
  SIZE,
  shortened,
  type TextStyle,
  textLine,
  textWidth,
} from "./typography.js";

/** Something drawn, with the room that it takes in pixels. Drawings go beside and under each other. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly element: SVGElement;
}

export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** What is level of drawings in a row. */
type Alignment = "top" | "middle" | "bottom";
/** Shares of the room above a drawing that is lower than the row. */
const ABOVE: Readonly<Record<Alignment, number>> = { top: 0, middle: 0.5, bottom: 1 };

/** Drawings in a row, their tops level unless `align` says otherwise. */
export function beside(drawings: readonly Drawing[], gap: number, align: Alignment = "top"): Drawing {
  const height = Math.max(0, ...drawings.map((drawing) => drawing.height));
  let width = -gap;
  const placed = drawings.map((drawing) => {
    const at = width + gap;
    width = at + drawing.width;
    return shifted(drawing, at, (height - drawing.height) * ABOVE[align]).element;
  });
  return { width: Math.max(0, width), height, element: svg("g", {}, ...placed) };
}

/** Drawings in a column, their left edges aligned. */
export function stack(drawings: readonly Drawing[], gap: number): Drawing {
  let height = -gap;
  const placed = drawings.map((drawing) => {
    const at = height + gap;
    height = at + drawing.height;
    return shifted(drawing, 0, at).element;
  });
  const width = Math.max(0, ...drawings.map((drawing) => drawing.width));
  return { width, height: Math.max(0, height), element: svg("g", {}, ...placed) };
}

/** Margins as options of a plot. */
export function plotMargins({ top, right, bottom, left }: Margins) {
  return { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left };
}

/** Room left of a plot for the labels of its ticks and the title of its axis, whose subscripts reach below its line. */
export function axisRoom(labels: readonly string[]): number {
  return 22 + Math.max(0, ...labels.map((label) => textWidth(label, SIZE.tick)));
}

/** Drawings in rows of `columns`. Panels of one height with headings of one or two lines have their bottoms level. */
export function grid(
  drawings: readonly Drawing[],
  columns: number,
  gap: { x: number; y: number },
  align: Alignment = "top",
): Drawing {
  const rows: Drawing[] = [];
  for (let i = 0; i < drawings.length; i += columns)
    rows.push(beside(drawings.slice(i, i + columns), gap.x, align));
  return stack(rows, gap.y);
}

/** Drawings in as many rows as they need to stay within `width`. */
export function flow(drawings: readonly Drawing[], gap: number, width: number): Drawing {
  const rows: Drawing[][] = [[]];
  let used = 0;
  for (const drawing of drawings) {
    if (used > 0 && used + drawing.width > width) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)!.push(drawing);
    used += drawing.width + gap;
  }
  return stack(
    rows.map((row) => beside(row, gap, "middle")),
    4,
  );
}

/** Width of a figure in pixels: two columns of a journal, one for a single panel. */
export function printWidth(panels: number): number {
  return panels === 1 ? COLUMN_WIDTH : PRINT_WIDTH;
}

/** How many panels a row takes: up to four; five and six go into two rows, more into rows of four. */
export function panelColumns(panels: number): number {
  return panels <= 4 ? panels : panels <= 6 ? 3 : 4;
}

/** The same for panels with the names of tasks, which are long. */
export function taskColumns(tasks: number): number {
  return tasks === 4 ? 2 : Math.min(tasks, 3);
}

/** A line of text as a drawing. */
export function caption(text: string, style: Partial<TextStyle> = {}): Drawing {
  const { size = SIZE.label, weight } = style;
  const element = textLine(text, { ...style, x: 0, y: size * 0.95, size, weight });
  return { width: textWidth(text, size, weight), height: size * 1.25, element };
}

/** What stands over a panel: its letter, its title, and a line of figures. */
export interface Heading {
  readonly letter?: string;
  readonly title: string;
  readonly subtitle?: string;
}

/** Smallest size of a title. */
const SMALLEST_TITLE = 8;

/**
 * A panel's heading, starting `indent` from the left, where the panel's frame starts. A title that would go beyond
 * `width` is set smaller, then in two lines, and shortened in the middle where that does not help.
 */
export function heading({ letter, title, subtitle }: Heading, indent: number, width = Infinity): Drawing {
  const before = letter === undefined ? [] : [caption(letter, { size: SIZE.panel, weight: 600 })];
  const gap = 7;
  const room = width - indent - before.reduce((sum, drawing) => sum + drawing.width + gap, 0);
  const lines = [beside([...before, fittedTitle(title, room)], gap, "middle")];
  if (subtitle !== undefined) lines.push(caption(subtitle));
  const text = stack(lines, 1);
  return shifted(text, indent, 0);
}

function fittedTitle(title: string, room: number): Drawing {
  const weight = 600;
  const size = Math.min(SIZE.panel, (SIZE.panel * room) / textWidth(title, SIZE.panel, weight));
  if (size >= SMALLEST_TITLE) return caption(title, { size, weight });
  const lines = inTwoLines(title).map((line) => shortened(line, room, SMALLEST_TITLE, weight));
  return stack(
    lines.map((line) => caption(line, { size: SMALLEST_TITLE, weight })),
    1,
  );
}

/** A title cut after the comma that leaves the shortest lines; as it is where it has no comma. */
function inTwoLines(title: string): readonly string[] {
  const parts = title.split(", ");
  const cuts = parts
    .slice(1)
    .map((_, i) => [`${parts.slice(0, i + 1).join(", ")},`, parts.slice(i + 1).join(", ")]);
  const widest = (lines: readonly string[]) =>
    Math.max(...lines.map((line) => textWidth(line, SMALLEST_TITLE)));
  return cuts.reduce((best, cut) => (widest(cut) < widest(best) ? cut : best), [title]);
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The letter of a panel, none where there is just one; aa, ab, ... follow z. */
export function panelLetter(index: number, panels: number): string | undefined {
  if (panels === 1) return undefined;
  const before = Math.floor(index / LETTERS.length);
  return (before > 0 ? LETTERS[before - 1] : "") + LETTERS[index % LETTERS.length];
}

/** A plot drawn by Observable Plot with its axes' titles, which are set in its margins. */
export function framed(plot: Element, margins: Margins, titles: { x?: string; y?: string }): Drawing {
  const width = Number(plot.getAttribute("width"));
  const height = Number(plot.getAttribute("height"));
  const marks = Array.from(plot.children).filter((child) => child.localName !== "style");
  const x = margins.left + (width - margins.left - margins.right) / 2;
  const y = margins.top + (height - margins.top - margins.bottom) / 2;
  const element = svg(
    "g",
    {},
    svg("g", { "font-size": SIZE.tick, "text-anchor": "middle" }, ...marks),
    titles.x === undefined ? undefined : textLine(titles.x, { x, y: height - 3.5, anchor: "middle" }),
    titles.y === undefined
      ? undefined
      : textLine(titles.y, { x: 0, y: 0, anchor: "middle", transform: `translate(9,${y}) rotate(-90)` }),
  );
  return { width, height, element };
}

export interface FigureOptions {
  /** Printed above the panels, and the name by which screen readers call the figure. */
  readonly title?: string;
  /** What screen readers say when there is no title. */
  readonly name: string;
  readonly description: string;
  readonly legend?: Drawing;
  /** Width in pixels. */
  readonly width: number;
}

/** The finished figure, a standalone SVG: title at the left, legend at the right or below, then the body. */
export function figure(body: Drawing, options: FigureOptions): string {
  const { title, name, description, legend, width } = options;
  const margin = 4;
  const inner = width - 2 * margin;
  const printed =
    title === undefined
      ? undefined
      : caption(shortened(title, inner, SIZE.title, 600), { size: SIZE.title, weight: 600 });
  const header: Drawing[] = [];
  if (printed && legend && printed.width + 24 + legend.width <= inner) {
    header.push(beside([printed, legend], inner - printed.width - legend.width, "middle"));
  } else {
    if (printed) header.push(printed);
    if (legend) header.push(shifted(legend, Math.max(0, inner - legend.width), 0));
  }
  const content = stack([...header, body], 10);
  const height = Math.ceil(content.height + 2 * margin);
  const root = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      role: "img",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      color: INK,
      fill: "currentColor",
      "font-family": FONT_FAMILY,
    },
    svg("title", {}, unmarked(title ?? name)),
    svg("desc", {}, unmarked(description)),
    svg("rect", { width, height, fill: "#ffffff" }),
    shifted(content, margin, margin).element,
  );
  return `${serialize(root)}\n`;
}

/** A drawing moved right and down, the room that it leaves counted as its own. */
function shifted(drawing: Drawing, x: number, y: number): Drawing {
  if (x === 0 && y === 0) return drawing;
  const element = svg("g", { transform: `translate(${x},${y})` }, drawing.element);
  return { width: x + drawing.width, height: y + drawing.height, element };
}
