import type { ColorScale } from "../colormaps.js";
import { scalesOf, verticalAxis } from "../samples/sample-layout.js";
import { isImage, type SamplePanel } from "../samples/sample-panel.js";
import type { BinCard } from "./bin-cards.js";

/** A row of frames of every card: one panel of all fields of a bin. */
export interface CardRow {
  readonly quantity: string;
  readonly isImage: boolean;
  readonly numbers?: boolean;
  /** Width and height of a frame. */
  readonly width: number;
  readonly height: number;
  /** Title of the vertical axis. */
  readonly yLabel?: string;
  /** What tells it from other rows. */
  readonly name?: string;
}

/** Where everything stands in a figure of bins, in pixels. */
export interface CardLayout {
  readonly cards: number;
  readonly columns: number;
  /** Width of a card without the axis at the left of the first column. */
  readonly cardWidth: number;
  /** Room for vertical axes at the left of the first column. */
  readonly left: number;
  /** Of all cards in a row. */
  readonly width: number;
  /** Between cards, and between frames of a card. */
  readonly gap: number;
  readonly frameGap: number;
  readonly rows: readonly CardRow[];
  readonly roles: readonly string[];
  readonly colors: ReadonlyMap<string, ColorScale>;
  readonly ticks: ReadonlyMap<string, readonly number[]>;
  /** Largest share of a bin at one client. */
  readonly largestShare: number;
}

const GAP = 18;
const FRAME_GAP = 5;
/** Room at the left for the names of rows of panels. */
export const ROW_NAME = 14;
/** Highest frames of images and of curves. */
const [TALLEST_IMAGE, TALLEST_CURVE] = [130, 110];
/** Room for the labels of the bars' axis. */
const BAR_AXIS = 30;

/** Cards of one size, in as many columns as they need to fit about a page. */
export function cardLayout(cards: readonly BinCard[], whole: number): CardLayout {
  const fullest = cards.reduce((a, b) => (b.fields.length > a.fields.length ? b : a));
  const first = fullest.fields[0].panels;
  const all = cards.flatMap(({ fields }) => fields.flatMap(({ panels }) => panels));
  const { colors, ticks } = scalesOf(all);
  const hasImages = first.some(isImage);
  const columns = columnsOf(cards.length, hasImages);
  const named = first.length > 1 || first[0].place !== undefined;
  const axes = first.map((panel) => verticalAxis(panel, undefined, ticks));
  const left = Math.max(BAR_AXIS, ...axes.map((axis) => axis.left)) + (named ? ROW_NAME : 0);
  const cardWidth = (whole - 8 - left - GAP * (columns - 1)) / columns;
  const fields = fullest.fields.length;
  const rows = first.map((panel, p): CardRow => {
    const base = {
      quantity: panel.quantity,
      yLabel: axes[p].yLabel,
      ...(named && { name: rowName(panel) }),
    };
    if (!isImage(panel))
      return {
        ...base,
        isImage: false,
        numbers: panel.numbers,
        width: cardWidth,
        height: Math.min(TALLEST_CURVE, Math.max(40, cardWidth / 1.6)),
      };
    const room = (cardWidth - FRAME_GAP * (fields - 1)) / fields;
    const width = Math.min(room, TALLEST_IMAGE * panel.aspect);
    return { ...base, isImage: true, width, height: width / panel.aspect };
  });
  const shares = cards.flatMap(({ clients }) => {
    const total = clients.reduce((a, b) => a + b, 0);
    return total > 0 ? clients.map((count) => count / total) : [];
  });
  return {
    cards: cards.length,
    ...{ columns, cardWidth, left, rows, colors, ticks },
    width: left + columns * cardWidth + (columns - 1) * GAP,
    gap: GAP,
    frameGap: FRAME_GAP,
    roles: fullest.fields.map(({ role }) => role),
    largestShare: shares.reduce((a, b) => Math.max(a, b), 0) || 1,
  };
}

/** Numbers of columns that keep so many cards readable; of two that do, the one that leaves fewer places empty. */
function columnsOf(cards: number, hasImages: boolean): number {
  const few = hasImages ? [2, 2] : cards <= 6 ? [2, 3] : [4, 5];
  const many = hasImages ? (cards <= 30 ? [3, 3] : [4, 4]) : [5, 6];
  const [a, b] = cards <= 12 ? few : many;
  const empty = (columns: number) => (columns - (cards % columns)) % columns;
  return Math.min(cards, empty(b) < empty(a) ? b : a);
}

function rowName({ title, place }: SamplePanel): string | undefined {
  const words = [title, place].filter((text) => text?.trim());
  return words.length > 0 ? words.join(", ") : undefined;
}
