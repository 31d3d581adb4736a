import { colorBar } from "../color-bar.js";
import { COLORMAPS, colorGradients } from "../colormaps.js";
import { beside, caption, type Drawing, figure, framed, heading, stack } from "../compose.js";
import { svg } from "../svg.js";
import { FAINT_INK, INK, PRINT_WIDTH, SIZE, shortened, textLine, textWidth } from "../typography.js";
import { drawFieldImage } from "./field-image.js";
import { drawCurve } from "./sample-curve.js";
import { GAP, RIGHT, type SampleLayout, sampleLayout } from "./sample-layout.js";
import { isImage, type SamplePanel, type SamplePanels } from "./sample-panel.js";

export interface PicturedSample {
  /** Printed beside its row where there are several: "sample 3". */
  readonly label: string;
  readonly panels: SamplePanels;
}

export interface SamplePictureOptions {
  readonly title: string;
  /** Where the data come from, printed beside the title; names of files are `verbatim`. */
  readonly origin: string;
  /** Colour of curves; that of text by default. */
  readonly color?: string;
  /** Samples of the same dataset, with the same kinds of panels. */
  readonly samples: readonly PicturedSample[];
}

/** A title makes its figure as wide as this at most. */
const LONGEST_TITLE = PRINT_WIDTH - 8;

/** Room under a frame for the horizontal axis, and without it. */
const [UNDER_LAST, UNDER] = [32, 6];

/**
 * Input and response of samples, as SVG. One sample is a row, or two where both have the same channels, which then
 * stand over each other; several samples are a row each. The same quantity has the same scale everywhere.
 */
export function samplePicture({ title, origin, color = INK, samples }: SamplePictureOptions): string {
  const several = samples.length > 1;
  const rows = several
    ? samples.map(({ panels }) => [...panels.input, ...panels.response])
    : rowsOf(samples[0]);
  const layout = sampleLayout(rows, several);
  const drawings = rows.flatMap((panels, row) => {
    const last = endsScales(rows, row);
    const place = { titled: row === 0 || !several, last };
    const frames = panels.map((panel, column) => drawPanel(panel, column, layout, { ...place, color }));
    const line = beside(frames, GAP);
    const named = several
      ? beside([rowName(samples[row].label, line.height, place.last, layout), line], 0)
      : line;
    if (!last) return [named];
    // Colour bars refer to the gradients; one copy serves all.
    const maps = row === rows.length - 1 ? COLORMAPS : [];
    return [named, colorBars(panels, layout, maps)];
  });
  const body = stack(drawings, several ? 4 : 10);
  const widest = Math.max(body.width, Math.min(textWidth(title, SIZE.title, 600), LONGEST_TITLE));
  const width = Math.ceil(widest - 1e-6) + 8;
  return figure(body, {
    title,
    name: title,
    description: `${several ? "A row a sample" : "Input and response"}: ${quantities(rows)}; data ${origin}.`,
    legend: caption(shortened(origin, width - 8, SIZE.label), { fill: FAINT_INK }),
    width,
  });
}

function rowsOf({ panels: { input, response } }: PicturedSample): (readonly SamplePanel[])[] {
  const paired = input.length > 1 && input.length === response.length;
  return paired ? [input, response] : [[...input, ...response]];
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
  readonly color: string;
}

function drawPanel(panel: SamplePanel, column: number, layout: SampleLayout, place: Place): Drawing {
  const { width, left, yLabel } = layout.columns[column];
  const margins = { top: 5, right: RIGHT, bottom: place.last ? UNDER_LAST : UNDER, left };
  const labelled = { x: place.last, y: yLabel !== undefined };
  const frame = { width, height: layout.height, margins, labelled };
  const plot = isImage(panel)
    ? drawFieldImage(panel.image, layout.colors.get(panel.quantity)!, frame)
    : drawCurve(panel.curve, layout.ticks.get(panel.quantity)!, place.color, frame);
  const xLabel = isImage(panel) ? panel.image.x.label : panel.xLabel;
  const body = framed(plot, margins, { x: place.last ? xLabel : undefined, y: yLabel });
  if (!place.titled) return body;
  const { title = " ", subtitle } = panel;
  // Of no width: a heading may reach over the next panel, whose column stays where it is.
  const over = { ...heading({ letter: layout.letters.get(panel), title, subtitle }, left), width: 0 };
  return stack([over, body], 3);
}

function rowName(name: string, height: number, last: boolean, layout: SampleLayout): Drawing {
  const y = height - (last ? UNDER_LAST : UNDER) - layout.height / 2;
  const transform = `translate(9,${y}) rotate(-90)`;
  const element = textLine(name, { x: 0, y: 0, anchor: "middle", weight: 600, transform });
  return { width: layout.indent, height, element };
}

/** A colour bar under each column of images, one for neighbours that show the same quantity. */
function colorBars(
  panels: readonly SamplePanel[],
  { columns, colors, indent }: SampleLayout,
  maps: typeof COLORMAPS,
): Drawing {
  const used = maps.filter((map) => [...colors.values()].some(({ colormap }) => colormap === map));
  const gradients = maps.length > 0 ? colorGradients(used) : svg("g", {});
  const bars: Drawing[] = [{ width: indent, height: 0, element: gradients }];
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
