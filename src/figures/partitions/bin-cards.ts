import { DataError } from "../../errors.js";
import { colorBar } from "../color-bar.js";
import { beside, caption, type Drawing, figure, framed, grid, stack } from "../compose.js";
import { DASHES, dotEntry, hollowEntry, legend, lineEntry } from "../legend.js";
import { drawFieldImage } from "../samples/field-image.js";
import { type CurveStyle, drawCurves } from "../samples/sample-curve.js";
import { type CurvePanel, isImage, type SamplePanel } from "../samples/sample-panel.js";
import { gradientsOf } from "../samples/sample-picture.js";
import { svg } from "../svg.js";
import { FAINT_INK, INK, PRINT_WIDTH, SIZE, shortened, textLine, textWidth } from "../typography.js";
import { type CardLayout, type CardRow, cardLayout, ROW_NAME } from "./bin-card-layout.js";
import { clientBars } from "./client-bars.js";

/** A field of a bin: its centroid, or one of its samples. */
export interface BinField {
  /** `centroid`, `nearest` or `farthest`; what the legend calls it. */
  readonly role: string;
  /** The number of the sample. */
  readonly sample?: number;
  /** What is drawn of it. Fields of all bins have the same panels. */
  readonly panels: readonly SamplePanel[];
}

/** What is drawn of a bin. */
export interface BinCard {
  readonly title: string;
  /** Beside or under the title: "84 samples, spread 0.31". */
  readonly facts: string;
  /** Fields to draw, in the order of their roles. An empty bin has its centroid alone. */
  readonly fields: readonly BinField[];
  /** Samples of the bin at each client. */
  readonly clients: readonly number[];
}

export interface BinCardsOptions {
  readonly title: string;
  /** Where the data come from; names of files are `verbatim`. */
  readonly origin: string;
  readonly cards: readonly BinCard[];
  /** Colour of curves. */
  readonly color?: string;
  /** Width in pixels. Default 692, the width of a page. */
  readonly width?: number;
}

const FACTS_SIZE = 9;
/** Sizes of the words over a picture, from large to small. */
const LABEL_SIZES = [9, 8, 7];

/**
 * Bins as cards, as SVG: the centroid and samples of each, and which clients hold it. Curves of a bin share a frame, images
 * stand side by side; the same quantity has the same scale in all cards.
 */
export function binCards(options: BinCardsOptions): string {
  const { title, origin, cards, color = INK, width = PRINT_WIDTH } = options;
  if (cards.length === 0) throw new DataError("a figure of bins needs at least one bin");
  const layout = cardLayout(cards, width);
  const styles = curveStyles(color);
  const drawings = cards.map((card, i) => drawCard(card, i, layout, styles));
  const body = stack([grid(drawings, layout.columns, { x: layout.gap, y: 14 }), ...colorBars(layout)], 8);
  const drawn = { ...body, element: svg("g", {}, gradientsOf(layout), body.element) };
  return figure(drawn, {
    title,
    name: title,
    description:
      `${cards.length} bins with ${layout.roles.join(", ")} of each and the share of each client; ` +
      `${layout.rows.map(({ quantity }) => quantity).join(", ")}; data ${origin}.`.replaceAll("$", ""),
    legend: cardLegend(layout, styles, width - 8),
    width,
  });
}

/** Colours and lines of the roles, in their order. */
function curveStyles(color: string): CurveStyle[] {
  return [
    { color, width: 2 },
    { color: INK, width: 1, symbol: "diamond", hollow: true },
    { color: "#8a8a8a", width: 1, dashes: DASHES, symbol: "square", hollow: true },
  ];
}

function drawCard(card: BinCard, index: number, layout: CardLayout, styles: readonly CurveStyle[]): Drawing {
  const { columns, cardWidth, left } = layout;
  const isFirst = index % columns === 0;
  const isLast = index + columns >= layout.cards;
  const margin = isFirst ? left : 0;
  const place = { isFirst, isLast };
  return stack(
    [
      shiftedBy(headingOf(card, cardWidth), margin),
      ...layout.rows.map((row, p) =>
        row.isImage ? imageRow(card, p, row, layout, place) : curveRow(card, p, row, layout, styles, place),
      ),
      clientBars(card.clients, {
        ...place,
        width: cardWidth,
        left: margin,
        largest: layout.largestShare,
      }),
    ],
    2,
  );
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Room under the frames of a card at the end of its column, for the horizontal axis. */
const UNDER_LAST = 28;

/** Title and facts in one line, or under each other where that is too long. */
function headingOf({ title, facts }: BinCard, width: number): Drawing {
  const name = caption(title, { size: SIZE.label, weight: 600 });
  const room = width - name.width - 8;
  const faint = (text: string, size: number) => caption(text, { size, fill: FAINT_INK });
  if (textWidth(facts, FACTS_SIZE) <= room) return beside([name, faint(facts, FACTS_SIZE)], 8, "middle");
  const size = Math.max(7, Math.min(FACTS_SIZE, (FACTS_SIZE * width) / textWidth(facts, FACTS_SIZE)));
  return stack([name, faint(shortened(facts, width, size), size)], 0);
}

/** The fields of a bin side by side. */
function imageRow(
  card: BinCard,
  p: number,
  row: CardRow,
  layout: CardLayout,
  { isFirst, isLast }: Place,
): Drawing {
  const { frameGap, roles } = layout;
  const frames = card.fields.map((field, i) => {
    const panel = field.panels[p];
    if (!isImage(panel)) throw new DataError("the fields of a bin have the same panels");
    const atLeft = isFirst && i === 0;
    const margins = {
      top: 2,
      right: 0,
      bottom: isLast ? UNDER_LAST : 3,
      left: atLeft ? layout.left : 0,
    };
    const plot = drawFieldImage(panel.image, layout.colors.get(panel.quantity)!, {
      width: row.width,
      height: row.height,
      margins,
      labelled: { x: isLast, y: atLeft },
      ticked: { x: isLast, y: atLeft },
    });
    const drawn = framed(plot, margins, { x: isLast ? panel.image.x.label : undefined });
    const named = atLeft ? withSideNames(drawn, row, margins) : drawn;
    if (p > 0) return named;
    const label = shiftedBy(fieldLabel(field, row.width), margins.left);
    return stack([{ ...label, width: 0 }, named], 0);
  });
  const missing = (roles.length - frames.length) * (row.width + frameGap);
  const line = beside(frames, frameGap);
  return { ...line, width: Math.max(line.width + missing, layout.cardWidth + (isFirst ? layout.left : 0)) };
}

/** `centroid`, `nearest 17`; the number of the sample alone where that is too long. */
function fieldLabel({ role, sample }: BinField, width: number): Drawing {
  const whole = sample === undefined ? role : `${role} ${sample}`;
  const size = LABEL_SIZES.find((one) => textWidth(whole, one) <= width);
  const text = size === undefined && sample !== undefined ? String(sample) : whole;
  return caption(shortened(text, width, size ?? LABEL_SIZES.at(-1)!), { size: size ?? LABEL_SIZES.at(-1) });
}

/** The fields of a bin in one frame. */
function curveRow(
  card: BinCard,
  p: number,
  row: CardRow,
  layout: CardLayout,
  styles: readonly CurveStyle[],
  { isFirst, isLast }: Place,
): Drawing {
  const panels = card.fields.map(({ panels }) => panels[p]) as CurvePanel[];
  const margins = { top: 4, right: 0, bottom: isLast ? UNDER_LAST : 4, left: isFirst ? layout.left : 0 };
  // The centroid is the thickest and lies on top.
  const curves = panels.map(({ curve }, i) => ({ curve, style: styles[i % styles.length] }));
  const plot = drawCurves(
    row.numbers ? curves : curves.reverse(),
    layout.ticks.get(row.quantity)!,
    {
      width: row.width,
      height: row.height,
      margins,
      labelled: { x: isLast, y: isFirst },
      ticked: { x: isLast, y: isFirst },
    },
    row.numbers,
  );
  const drawn = framed(plot, margins, { x: isLast ? panels[0].xLabel : undefined });
  return isFirst ? withSideNames(drawn, row, margins) : drawn;
}

/** The names at the left edge: what tells a row of panels from the next one, and the title of the vertical axis. */
function withSideNames(
  drawing: Drawing,
  { name, yLabel, height }: CardRow,
  margins: { readonly top: number },
): Drawing {
  const middle = margins.top + height / 2;
  const upright = (text: string | undefined, x: number, weight?: number) =>
    text === undefined
      ? undefined
      : textLine(text, {
          x: 0,
          y: 0,
          anchor: "middle",
          weight,
          transform: `translate(${x},${middle}) rotate(-90)`,
        });
  const [first, second] = name === undefined ? [undefined, 9] : [9, 9 + ROW_NAME];
  const names = [first === undefined ? undefined : upright(name, first, 600), upright(yLabel, second)];
  return { ...drawing, element: svg("g", {}, drawing.element, ...names) };
}

/** A colour bar for each quantity of images, side by side under all cards. */
function colorBars({ colors, left, width }: CardLayout): Drawing[] {
  if (colors.size === 0) return [];
  const each = (width - left) / colors.size;
  const bars = [...colors].map(([quantity, scale], i) =>
    colorBar(scale, quantity, { left: i === 0 ? left : 10, width: each - 10 }),
  );
  return [beside(bars, 0)];
}

function cardLegend(layout: CardLayout, styles: readonly CurveStyle[], width: number): Drawing {
  const { roles, rows } = layout;
  const words = (role: string) => (role === "centroid" ? role : `${role} sample`);
  const entries = rows.some(({ isImage }) => !isImage)
    ? roles.map((role, i) => entryOf(words(role), styles[i % styles.length], rows[0].numbers === true))
    : [caption(`left to right: ${roles.map(words).join(", ")}`)];
  return legend([...entries, caption("bars: share of the bin at each client")], width);
}

function entryOf(label: string, style: CurveStyle, numbers: boolean): Drawing {
  const { color, width, dashes, symbol = "circle", hollow } = style;
  if (numbers) return (hollow ? hollowEntry : dotEntry)(label, { color, symbol });
  return lineEntry(label, { color, width, dashed: dashes !== undefined });
}

function shiftedBy(drawing: Drawing, dx: number): Drawing {
  return {
    width: drawing.width + dx,
    height: drawing.height,
    element: svg("g", { transform: `translate(${dx},0)` }, drawing.element),
  };
}
