import { colorBar } from "../color-bar.js";
import { colorGradients } from "../colormaps.js";
import { beside, caption, type Drawing, figure, framed, heading, stack } from "../compose.js";
import { svg } from "../svg.js";
import { FAINT_INK, INK, PRINT_WIDTH, SIZE, shortened, textLine, textWidth } from "../typography.js";
import { drawFieldImage } from "./field-image.js";
import { drawCurves } from "./sample-curve.js";
import { GAP, RIGHT, type SampleLayout, sampleLayout } from "./sample-layout.js";
import { isImage, type SamplePanel, type SamplePanels } from "./sample-panel.js";

export interface PicturedSample {
  /** Printed beside its row where there are several: "sample 3". */
  readonly label: string;
  readonly panels: SamplePanels;
}

export interface SamplePictureOptions {
  /** What screen readers call the figure, and what is printed over it. */
  readonly title: string;
  /** Where the data come from, printed beside the title; names of files are `verbatim`. */
  readonly origin: string;
  /** Colour of curves; that of text by default. */
  readonly color?: string;
  /** Samples of the same dataset, with the same kinds of panels. */
  readonly samples: readonly PicturedSample[];
  /** What is printed. Default: all of it. */
  readonly shows?: Partial<Readonly<Record<PicturePart, boolean>>>;
  /** Width of the figure in CSS pixels, 96 an inch. Default: what its panels need, up to the width of a page. */
  readonly width?: number;
}

/**
 * Parts of a figure that can be left out. `labels` are headings and letters of panels and names of rows, `ticks` are ticks,
 * numbers and names along axes.
 */
export const PICTURE_PARTS = ["title", "origin", "labels", "ticks", "colorbar"] as const;
export type PicturePart = (typeof PICTURE_PARTS)[number];

/** Room under a frame for the horizontal axis, and without it. */
const [UNDER_LAST, UNDER] = [32, 6];

/** More panels than this do not fit into a row, and more rows not on a page. */
export const MOST_PANELS = 6;
export const MOST_ROWS = 8;

/**
 * Input and response of samples, as SVG. One sample is a row, or several: see {@link rowsOf}. Several samples are a row
 * each. The same quantity has the same scale everywhere.
 */
export function samplePicture({
  title,
  origin,
  color = INK,
  samples,
  shows = {},
  width: asked,
}: SamplePictureOptions): string {
  const shown = (part: PicturePart) => shows[part] ?? true;
  const several = samples.length > 1;
  const rows = pictureRows(samples.map(({ panels }) => panels));
  const named = several && shown("labels");
  const layout = sampleLayout(rows, {
    named,
    lettered: !several && shown("labels"),
    axes: shown("ticks"),
    width: asked,
  });
  const grouped = needsGroups(rows, layout);
  const drawings = rows.flatMap((panels, row) => {
    const last = endsScales(rows, row);
    const place = {
      titled: (row === 0 || !several) && shown("labels"),
      grouped: grouped && panels.some((panel) => panel.place !== undefined),
      last,
      axes: shown("ticks"),
      color,
    };
    const frames = panels.map((_, column) => drawPanel(panels, [row, column], layout, place));
    const line = beside(frames, GAP);
    const whole = named ? beside([rowName(samples[row].label, line.height, place, layout), line], 0) : line;
    if (!last || !shown("colorbar")) return [whole];
    return [whole, colorBars(panels, row, layout)];
  });
  const stacked = stack(drawings, several || !shown("labels") ? 4 : 10);
  const body = shown("colorbar")
    ? { ...stacked, element: svg("g", {}, gradientsOf(layout), stacked.element) }
    : stacked;
  const room = asked ?? PRINT_WIDTH;
  const titleWidth = shown("title") ? Math.min(textWidth(title, SIZE.title, 600), room - 8) : 0;
  const width = asked ?? Math.ceil(Math.max(body.width, titleWidth) - 1e-6) + 8;
  return figure(body, {
    ...(shown("title") && { title }),
    name: title,
    description: `${several ? "A row a sample" : "Input and response"}: ${quantities(rows)}; data ${origin}.`,
    ...(shown("origin") && {
      legend: caption(shortened(origin, width - 8, SIZE.label), { fill: FAINT_INK }),
    }),
    width,
  });
}

/** Rows of panels: one for each of several samples, else as {@link rowsOf} says. */
export function pictureRows(samples: readonly SamplePanels[]): (readonly SamplePanel[])[] {
  return samples.length > 1
    ? samples.map(({ input, response }) => [...input, ...response])
    : rowsOf(samples[0]);
}

/**
 * The rows of one sample. Where channels have several times or planes, each channel has a row; where input and response have
 * the same channels, or more panels than a row takes, they stand over each other; else they share a row.
 */
function rowsOf({ input, response }: SamplePanels): (readonly SamplePanel[])[] {
  const [inputRows, responseRows] = [input, response].map((panels) => {
    const quantities = [...new Set(panels.map(({ quantity }) => quantity))];
    const isTable = quantities.length > 1 && panels.length > quantities.length;
    if (!isTable) return panels.length > 0 ? [panels] : [];
    return quantities.map((quantity) => panels.filter((panel) => panel.quantity === quantity));
  });
  const paired = input.length > 1 && input.length === response.length;
  const whole = input.length + response.length;
  if (inputRows.length > 1 || responseRows.length > 1 || paired || (whole > MOST_PANELS && input.length > 0))
    return [...inputRows, ...responseRows];
  return [[...input, ...response]];
}

/** Whether the scales of a row end with it: the next row shows other quantities, or there is none. */
function endsScales(rows: readonly (readonly SamplePanel[])[], row: number): boolean {
  const names = (panels: readonly SamplePanel[] | undefined) =>
    panels?.map(({ quantity }) => quantity).join("\n");
  return names(rows[row]) !== names(rows[row + 1]);
}

interface Place {
  readonly titled: boolean;
  /** Whether this is the last row of its scales, under which the horizontal axes are labelled. */
  readonly last: boolean;
  /** Whether titles and places have a line each. */
  readonly grouped: boolean;
  readonly axes: boolean;
  readonly color: string;
}

/** Room under the frames of a row. */
const under = ({ last, axes }: Place): number => (axes && last ? UNDER_LAST : UNDER);

function drawPanel(
  panels: readonly SamplePanel[],
  [row, column]: readonly [row: number, column: number],
  layout: SampleLayout,
  place: Place,
): Drawing {
  const panel = panels[column];
  const { width, left, yLabel } = layout.columns[row][column];
  const margins = { top: 5, right: RIGHT, bottom: under(place), left };
  const labelled = { x: place.last, y: yLabel !== undefined };
  const frame = { width, height: layout.height, margins, labelled, ticked: place.axes };
  const plot = isImage(panel)
    ? drawFieldImage(panel.image, layout.colors.get(panel.quantity)!, frame)
    : drawCurves(
        [{ curve: panel.curve, style: { color: place.color } }],
        layout.ticks.get(panel.quantity)!,
        frame,
        { numbers: panel.numbers, domain: layout.domains.get(panel.quantity) },
      );
  const xLabel = isImage(panel) ? panel.image.x.label : panel.xLabel;
  const body = framed(plot, margins, { x: place.last && place.axes ? xLabel : undefined, y: yLabel });
  if (!place.titled) return body;
  // Of no width: the next column stays where it is.
  const over = { ...headingOf(panels, [row, column], layout, place.grouped), width: 0 };
  return stack([over, body], 3);
}

/** What stands over a panel. Grouped headings have the title over the first panel of a quantity, and under it all places. */
function headingOf(
  panels: readonly SamplePanel[],
  [row, column]: readonly [row: number, column: number],
  layout: SampleLayout,
  grouped: boolean,
): Drawing {
  const panel = panels[column];
  const { left } = layout.columns[row][column];
  const { title = " ", subtitle, place } = panel;
  const letter = layout.letters.get(panel);
  if (!grouped) {
    const whole = place === undefined ? title : [title, place].filter((text) => text.trim()).join(", ");
    return heading({ letter, title: whole, subtitle }, left, headingRoom(panels, [row, column], layout));
  }
  const isFirst = panels[column - 1]?.quantity !== panel.quantity;
  const next = panels.findIndex((other, i) => i > column && other.quantity !== panel.quantity);
  const room = spannedRoom(layout, row, column, next);
  return stack(
    [heading({ title: isFirst ? title : " " }, left, room), heading({ letter, title: place ?? " " }, left)],
    1,
  );
}

/** Whether a heading with its place is too long for its panel. */
function needsGroups(rows: readonly (readonly SamplePanel[])[], layout: SampleLayout): boolean {
  return rows.some((panels, row) =>
    panels.some(({ title, place }, column) => {
      if (place === undefined) return false;
      const width = textWidth(`a  ${title}, ${place}`, SIZE.panel, 600) + layout.columns[row][column].left;
      return width > headingRoom(panels, [row, column], layout);
    }),
  );
}

/** Room for a heading: it may reach over the next panels if they have none. */
function headingRoom(
  panels: readonly SamplePanel[],
  [row, column]: readonly [row: number, column: number],
  layout: SampleLayout,
): number {
  const next = panels.findIndex((other, i) => i > column && other.title !== undefined);
  return spannedRoom(layout, row, column, next);
}

/** Width of the columns from one to the column before `next`, or to the last if that is -1. */
function spannedRoom(layout: SampleLayout, row: number, column: number, next: number): number {
  const spanned = layout.columns[row].slice(column, next < 0 ? undefined : next);
  return spanned.reduce((sum, { left, width }) => sum + left + width + RIGHT + GAP, 0) - GAP;
}

function rowName(name: string, height: number, place: Place, layout: SampleLayout): Drawing {
  const y = height - under(place) - layout.height / 2;
  const transform = `translate(9,${y}) rotate(-90)`;
  const element = textLine(name, { x: 0, y: 0, anchor: "middle", weight: 600, transform });
  return { width: layout.indent, height, element };
}

/** The gradients to which all colour bars refer. */
export function gradientsOf({ colors }: Pick<SampleLayout, "colors">): SVGElement {
  return colorGradients([...new Set([...colors.values()].map(({ colormap }) => colormap))]);
}

/** A colour bar under each column of images, one for neighbours that show the same quantity. */
function colorBars(panels: readonly SamplePanel[], row: number, layout: SampleLayout): Drawing {
  const { colors, indent } = layout;
  const columns = layout.columns[row];
  const bars: Drawing[] = [{ width: indent, height: 0, element: svg("g", {}) }];
  for (let start = 0, end = 0; start < panels.length; start = end) {
    const { quantity } = panels[start];
    while (end < panels.length && panels[end].quantity === quantity) end++;
    const spans = columns.slice(start, end).map(({ left, width }) => left + width + RIGHT);
    const whole = spans.reduce((sum, span) => sum + span) + GAP * (spans.length - 1);
    const { left } = columns[start];
    const scale = colors.get(quantity);
    const bar = scale && colorBar(scale, quantity, { left, width: whole - left - RIGHT });
    const width = whole + (end < panels.length ? GAP : 0);
    bars.push({ width, height: bar?.height ?? 0, element: bar?.element ?? svg("g", {}) });
  }
  return beside(bars, 0);
}

function quantities(rows: readonly (readonly SamplePanel[])[]): string {
  return [...new Set(rows.flat().map(({ quantity }) => quantity))].join(", ").replaceAll("$", "");
}
