import type { ColorScale, Limits } from "../colormaps.js";
import { extent } from "../samples/extent.js";
import { scalesOf, verticalAxis } from "../samples/sample-layout.js";
import { isCurve, isImage, type SamplePanel } from "../samples/sample-panel.js";
import { ticksWithin } from "../ticks.js";
import { textWidth } from "../typography.js";
import type { BinCard, BinField } from "./bin-cards.js";

/** A row of frames of every card: one panel of all fields of a bin. */
export interface CardRow {
  readonly quantity: string;
  readonly isImage: boolean;
  readonly numbers?: boolean;
  /** What the vertical axis of curves spans. */
  readonly domain?: Limits;
  /** Width and height of a frame. */
  readonly width: number;
  readonly height: number;
  /** Title of the vertical axis. */
  readonly yLabel?: string;
  /** What tells it from other rows. */
  readonly name?: string;
  /** Whether the next row, if there is one, has another horizontal axis. */
  readonly endsAxis: boolean;
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
  /** Size of the words over pictures. */
  readonly labelSize: number;
  readonly colors: ReadonlyMap<string, ColorScale>;
  readonly ticks: ReadonlyMap<string, readonly number[]>;
  /** Largest share of a bin at one client. */
  readonly largestShare: number;
  /** Quantities whose largest values are beyond the colours. */
  readonly clipped: ReadonlySet<string>;
  /** Whether cards are so many that each has little room. */
  readonly isSmall: boolean;
}

const GAP = 18;
const FRAME_GAP = 5;
/** For half of the last label of the horizontal axis. */
const RIGHT = 8;
/** Cards from which on each has little room. */
const MANY = 24;
/** Sizes of the words over a picture, from large to small. */
const LABEL_SIZES = [9, 8, 7];
/** Highest frames of images and of curves. */
const [TALLEST_IMAGE, TALLEST_CURVE] = [130, 110];
/** Room for the labels of the bars' axis. */
const BAR_AXIS = 30;

/** Cards of one size, in as many columns as they need to fit about a page. */
export function cardLayout(cards: readonly BinCard[], whole: number): CardLayout {
  const fullest = cards.reduce((a, b) => (b.fields.length > a.fields.length ? b : a));
  const first = fullest.fields[0].panels;
  const all = cards.flatMap(({ fields }) => fields.flatMap(({ panels }) => panels));
  const { colors, ticks: covering } = scalesOf(all.map(clipped));
  const heights = new Map(
    [...covering].map(([quantity, ticks]) => [quantity, closeScale(all, quantity, ticks)] as const),
  );
  const ticks = new Map([...heights].map(([quantity, scale]) => [quantity, scale.ticks] as const));
  const hasImages = first.some(isImage);
  const columns = columnsOf(cards.length, hasImages);
  const named = first.length > 1 || first[0].place !== undefined;
  const axes = first.map((panel) => verticalAxis(panel, undefined, ticks));
  const left = Math.max(BAR_AXIS, ...axes.map((axis) => axis.left));
  const cardWidth = (whole - 8 - RIGHT - left - GAP * (columns - 1)) / columns;
  const fields = fullest.fields.length;
  const rows = first.map((panel, p): CardRow => {
    const base = {
      quantity: panel.quantity,
      yLabel: axes[p].yLabel,
      ...(named && { name: rowName(first, p) }),
      endsAxis: first[p + 1] === undefined || horizontalAxis(panel) !== horizontalAxis(first[p + 1]),
    };
    if (!isImage(panel))
      return {
        ...base,
        isImage: false,
        numbers: panel.numbers,
        domain: heights.get(panel.quantity)!.domain,
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
    labelSize: labelSize(cards, Math.min(...rows.map(({ width }) => width))),
    clipped: new Set(all.filter((panel) => isClipped(panel, colors)).map(({ quantity }) => quantity)),
    isSmall: cards.length > MANY,
    largestShare: shares.reduce((a, b) => Math.max(a, b), 0) || 1,
  };
}

/** Share of the values that a scale about zero spans: single peaks would leave all centroids pale. */
export const UNCLIPPED = 0.99;

/** A panel whose colours end before the largest values, unless its colours are chosen. */
function clipped(panel: SamplePanel): SamplePanel {
  return isImage(panel) ? { ...panel, colors: { share: UNCLIPPED, ...panel.colors } } : panel;
}

/** Whether the largest values of a panel's quantity have been left out of its scale here. */
function isClipped(panel: SamplePanel, colors: CardLayout["colors"]): boolean {
  if (!isImage(panel) || panel.colors?.limits || panel.colors?.share !== undefined) return false;
  const [low, high] = colors.get(panel.quantity)!.domain;
  const [least, most] = extent(panel.image.values);
  return least < low || most > high;
}

/** A vertical axis that ends close to the values, with few ticks: frames are low. */
function closeScale(
  all: readonly SamplePanel[],
  quantity: string,
  covering: readonly number[],
): { readonly ticks: readonly number[]; readonly domain: Limits } {
  const curves = all.filter(isCurve).filter((panel) => panel.quantity === quantity);
  const { limits } = curves[0];
  if (limits) return { ticks: ticksWithin(limits[0], limits[1], 4), domain: limits };
  const [low, high] = extent(curves.flatMap(({ curve }) => Array.from(curve.y)));
  const step = (covering[1] - covering[0]) / 4;
  const first = Math.floor(Math.min(0, low) / step + 1e-9) * step;
  const last = Math.max(first + step, Math.ceil(Math.max(0, high) / step - 1e-9) * step);
  return { ticks: ticksWithin(first, last, 4), domain: [first, last] };
}

/** Numbers of columns that keep so many cards readable; of two that do, the one that leaves fewer places empty. */
function columnsOf(cards: number, hasImages: boolean): number {
  const few = hasImages ? [2, 2] : cards <= 6 ? [2, 3] : [4, 5];
  const many = hasImages ? (cards <= 30 ? [3, 3] : [4, 4]) : [5, 6];
  const [a, b] = cards <= 12 ? few : many;
  const empty = (columns: number) => (columns - (cards % columns)) % columns;
  return Math.min(cards, empty(b) < empty(a) ? b : a);
}

/** The words over a field: `centroid`, `nearest 17`. */
export function fieldLabel({ role, sample }: BinField): string {
  return sample === undefined ? role : `${role} ${sample}`;
}

/** The largest size at which all words over fields fit. */
function labelSize(cards: readonly BinCard[], width: number): number {
  const labels = cards.flatMap(({ fields }) => fields.map(fieldLabel));
  const fits = (size: number) => labels.every((label) => textWidth(label, size) <= width);
  return LABEL_SIZES.find(fits) ?? LABEL_SIZES.at(-1)!;
}

/** What the horizontal axis of a panel is, so that rows with the same one share it. */
function horizontalAxis(panel: SamplePanel): string {
  if (!isImage(panel)) return `${panel.xLabel} ${extent(panel.curve.x)}`;
  const { label, start, end } = panel.image.x;
  return `${label} ${start} ${end}`;
}

/** Title and place of a panel, without what all panels have in common. */
function rowName(panels: readonly SamplePanel[], p: number): string | undefined {
  const { title, place } = panels[p];
  const isShared = panels.length > 1 && panels.every((one) => one.title === title);
  const words = [isShared ? undefined : title, place].filter((text) => text?.trim());
  return words.length > 0 ? words.join(", ") : undefined;
}
