import { DataError } from "../../errors.js";
import { colorBar } from "../color-bar.js";
import { beside, caption, type Drawing, figure, framed, grid, stack } from "../compose.js";
import { DASHES, dotEntry, hollowEntry, legend, lineEntry } from "../legend.js";
import { drawFieldImage } from "../samples/field-image.js";
import { type CurveStyle, drawCurves } from "../samples/sample-curve.js";
import { type CurvePanel, isImage, type SamplePanel } from "../samples/sample-panel.js";
import { gradientsOf } from "../samples/sample-picture.js";
import { svg } from "../svg.js";
import { FAINT_INK, INK, PRINT_WIDTH, SIZE, shortened, textWidth } from "../typography.js";
import { type CardLayout, type CardRow, cardLayout, fieldLabel } from "./bin-card-layout.js";
import { clientBars } from "./client-bars.js";

/** A field of a bin: its centroid, or one of its samples. */
export interface BinField {
  /** `centroid` or `mean`, `nearest` or `farthest`; what the legend calls it. */
  readonly role: string;
  /** The number of the sample. */
  readonly sample?: number;
  /** What is drawn of it. Fields of all bins have the same panels. */
  readonly panels: readonly SamplePanel[];
}

/** What is drawn of a bin. */
export interface BinCard {
  readonly title: string;
  /** Beside the title, and under it where they are too long: "84 samples", "spread 0.31". */
  readonly facts: readonly string[];
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
/** Size of the name of a row of panels. */
const NAME_SIZE = 9;

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
      shiftedBy(headingOf(card, cardWidth, layout.isSmall), margin),
      ...layout.rows.map((row, p) =>
        row.isImage ? imageRow(card, p, row, layout, place) : curveRow(card, p, row, layout, styles, place),
      ),
      clientBars(card.clients, {
        ...place,
        width: cardWidth,
        left: margin,
        largest: layout.largestShare,
        height: layout.isSmall ? 12 : 22,
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

/** Title and facts in one line; facts that are too many go under it, or are left out where cards are small. */
function headingOf({ title, facts }: BinCard, width: number, isSmall: boolean): Drawing {
  const name = caption(title, { size: SIZE.label, weight: 600 });
  const faint = (text: string, room: number) => {
    const size = Math.max(7, Math.min(FACTS_SIZE, (FACTS_SIZE * room) / textWidth(text, FACTS_SIZE)));
    return caption(shortened(text, room, size), { size, fill: FAINT_INK });
  };
  const room = width - name.width - 8;
  const least = isSmall ? 8 : FACTS_SIZE;
  const fits = (count: number) => textWidth(facts.slice(0, count).join(", "), least) <= room;
  const count = Math.max(1, facts.filter((_, i) => fits(i + 1)).length);
  const line = beside([name, faint(facts.slice(0, count).join(", "), room)], 8, "middle");
  if (isSmall || count === facts.length) return line;
  return stack([line, faint(facts.slice(count).join(", "), width)], 0);
}

/** The fields of a bin side by side. */
function imageRow(
  card: BinCard,
  p: number,
  row: CardRow,
  layout: CardLayout,
  { isFirst, isLast }: Place,
): Drawing {
  const { frameGap } = layout;
  const hasX = isLast && row.endsAxis;
  const frames = card.fields.map((field, i) => {
    const panel = field.panels[p];
    if (!isImage(panel)) throw new DataError("the fields of a bin have the same panels");
    const atLeft = isFirst && i === 0;
    const margins = {
      top: 2,
      right: 0,
      bottom: hasX ? UNDER_LAST : 3,
      left: atLeft ? layout.left : 0,
    };
    const plot = drawFieldImage(panel.image, layout.colors.get(panel.quantity)!, {
      width: row.width,
      height: row.height,
      margins,
      labelled: { x: hasX && i === 0, y: atLeft }, // those of the others would run into each other
      ticked: { x: hasX, y: atLeft },
    });
    return framed(plot, margins, {
      x: hasX ? panel.image.x.label : undefined,
      y: atLeft ? row.yLabel : undefined,
    });
  });
  const left = isFirst ? layout.left : 0;
  const line = withName(beside(frames, frameGap), row, left, layout.cardWidth);
  const whole = p > 0 ? line : stack([shiftedBy(fieldLabels(card, row.width, layout), left), line], 0);
  return { ...whole, width: left + layout.cardWidth };
}

/** `centroid`, `nearest 17` over the fields of a bin. */
function fieldLabels({ fields }: BinCard, width: number, { labelSize: size, frameGap }: CardLayout): Drawing {
  const labels = fields.map((field) => ({
    ...caption(shortened(fieldLabel(field), width, size), { size }),
    width,
  }));
  return beside(labels, frameGap);
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
  const hasX = isLast && row.endsAxis;
  const margins = { top: 4, right: 0, bottom: hasX ? UNDER_LAST : 4, left: isFirst ? layout.left : 0 };
  // The centroid is the thickest and lies on top.
  const curves = panels.map(({ curve }, i) => ({ curve, style: styles[i % styles.length] }));
  const plot = drawCurves(
    row.numbers ? curves : curves.reverse(),
    layout.ticks.get(row.quantity)!,
    {
      width: row.width,
      height: row.height,
      margins,
      labelled: { x: hasX, y: isFirst },
      ticked: { x: hasX, y: isFirst },
    },
    { numbers: row.numbers, domain: row.domain },
  );
  const drawn = framed(plot, margins, {
    x: hasX ? panels[0].xLabel : undefined,
    y: isFirst ? row.yLabel : undefined,
  });
  return withName(drawn, row, margins.left, layout.cardWidth);
}

/** The title of a row of panels, where a card has several of them or the panel is a part of its field. */
function withName(row: Drawing, { name }: CardRow, left: number, width: number): Drawing {
  if (name === undefined) return row;
  const size = NAME_SIZE;
  const over = caption(shortened(name, width, size, 600), { size, weight: 600, fill: FAINT_INK });
  return stack([shiftedBy(over, left), row], 0);
}

/** A colour bar for each quantity of images, side by side under all cards. */
function colorBars({ colors, clipped, left, width }: CardLayout): Drawing[] {
  if (colors.size === 0) return [];
  const each = (width - left) / colors.size;
  const words = (quantity: string) =>
    `${quantity}${clipped.has(quantity) ? ", 1 % of the values beyond" : ""}`;
  const bars = [...colors].map(([quantity, scale], i) =>
    colorBar(scale, words(quantity), { left: i === 0 ? left : 10, width: each - 10 }),
  );
  return [beside(bars, 0)];
}

function cardLegend(layout: CardLayout, styles: readonly CurveStyle[], width: number): Drawing {
  const { roles, rows } = layout;
  const words = (role: string) => (["nearest", "farthest"].includes(role) ? `${role} sample` : role);
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
