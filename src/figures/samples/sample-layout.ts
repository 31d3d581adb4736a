import { type ColorScale, colorScale, type Limits } from "../colormaps.js";
import { panelLetter } from "../compose.js";
import { coveringTicks, tickLabels, ticksWithin } from "../ticks.js";
import { PRINT_WIDTH, SIZE, textWidth } from "../typography.js";
import { extent } from "./extent.js";
import { axisTicks } from "./field-image.js";
import { isCurve, isImage, type SamplePanel } from "./sample-panel.js";

/** A column of frames. */
export interface Column {
  readonly width: number;
  /** Room at its left for the vertical axis. */
  readonly left: number;
  /** Title of that axis; none where it is that of the column before. */
  readonly yLabel?: string;
}

/** Where everything stands in the picture of samples, in pixels, and how values become colours and heights. */
export interface SampleLayout {
  /** Height of every frame. */
  readonly height: number;
  /** Of each row. Rows with the same panels have the same columns. */
  readonly columns: readonly (readonly Column[])[];
  /** Room at the left for the names of rows. */
  readonly indent: number;
  /** Letters of the panels, where there is one sample. */
  readonly letters: ReadonlyMap<SamplePanel, string | undefined>;
  /** By quantity: the colours of its images, the ticks of its curves, and what their axis spans. */
  readonly colors: ReadonlyMap<string, ColorScale>;
  readonly ticks: ReadonlyMap<string, readonly number[]>;
  readonly domains: ReadonlyMap<string, Limits>;
}

export const GAP = 14;
/** Room at the right of a frame, for half of its last label. */
export const RIGHT = 6;
/** The tallest frame, and the height of all frames of a page. */
const [TALLEST, PAGE] = [190, 600];
/** Frames are no shorter than this, whatever width is asked for. */
const SHORTEST = 20;
const ROW_NAME = 18;
/** Room at the left of a frame without an axis. */
const EDGE = 2;

export interface LayoutOptions {
  /** Whether rows have names at their left. */
  readonly named?: boolean;
  /** Whether panels have letters. */
  readonly lettered?: boolean;
  /** Whether axes have ticks and labels. */
  readonly axes?: boolean;
  /** Width of the figure in pixels, which its frames fill. Default: what they need, up to that of a page. */
  readonly width?: number;
}

/** Frames of one height, as large as the page lets them be. */
export function sampleLayout(
  rows: readonly (readonly SamplePanel[])[],
  { named = false, lettered = !named, axes = true, width }: LayoutOptions = {},
): SampleLayout {
  const all = rows.flat();
  const { colors, ticks, domains } = scalesOf(all);
  const indent = named ? ROW_NAME : 0;
  const sides = rows.map((row) =>
    row.map((panel, i) => (axes ? verticalAxis(panel, row[i - 1], ticks) : { left: EDGE })),
  );
  const heights = rows.map((row, r) => {
    const used = sides[r].reduce((sum, { left }) => sum + left + RIGHT, indent + GAP * (row.length - 1));
    const aspects = row.reduce((sum, { aspect }) => sum + aspect, 0);
    return ((width ?? PRINT_WIDTH) - 8 - used) / aspects;
  });
  const tallest = width === undefined ? TALLEST : Infinity;
  const height = Math.max(SHORTEST, Math.min(tallest, PAGE / rows.length, ...heights));
  const columns = rows.map((row, r) =>
    row.map(({ aspect }, i) => ({ ...sides[r][i], width: height * aspect })),
  );
  const titled = lettered ? all.filter(({ title }) => title !== undefined) : [];
  const letters = new Map(titled.map((panel, i) => [panel, panelLetter(i, titled.length)]));
  return { height, columns, indent, letters, colors, ticks, domains };
}

/** How values become colours and heights, by quantity. */
export function scalesOf(all: readonly SamplePanel[]): Pick<SampleLayout, "colors" | "ticks" | "domains"> {
  const colors = new Map<string, ColorScale>();
  const ticks = new Map<string, readonly number[]>();
  const domains = new Map<string, Limits>();
  for (const quantity of new Set(all.map((panel) => panel.quantity))) {
    const panels = all.filter((panel) => panel.quantity === quantity);
    const images = panels.filter(isImage);
    const curves = panels.filter(isCurve);
    if (images.length > 0) {
      const values = images.map(({ image }) => image.values);
      colors.set(quantity, colorScale(values, images[0].colors));
    }
    if (curves.length > 0) {
      const { limits } = curves[0];
      const [low, high] = limits ?? extent(curves.flatMap(({ curve }) => Array.from(curve.y)));
      const marks = limits ? ticksWithin(low, high, 5) : coveringTicks(Math.min(0, low), Math.max(0, high));
      ticks.set(quantity, marks);
      domains.set(quantity, limits ?? [marks[0], marks.at(-1)!]);
    }
  }
  return { colors, ticks, domains };
}

/** Room for the vertical axis: next to none where the panel before has the same one. */
export function verticalAxis(
  panel: SamplePanel,
  before: SamplePanel | undefined,
  ticks: ReadonlyMap<string, readonly number[]>,
): Omit<Column, "width"> {
  if (isCurve(panel)) return withLabels(ticks.get(panel.quantity)!, panel.quantity);
  const { y } = panel.image;
  const left = before && isImage(before) ? before.image.y : undefined;
  if (left?.label === y.label && left.start === y.start && left.end === y.end) return { left: 4 };
  return withLabels(axisTicks(y, TALLEST), y.label);
}

function withLabels(ticks: readonly number[], label: string): Omit<Column, "width"> {
  const { format, factor } = tickLabels(ticks);
  const widest = Math.max(...ticks.map((tick) => textWidth(format(tick), SIZE.tick)));
  return { left: 22 + widest, yLabel: `${label}${factor}` };
}
