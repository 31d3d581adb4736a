import { type ColorScale, gradientId } from "./colormaps.js";
import type { Drawing } from "./compose.js";
import { svg } from "./svg.js";
import { tickLabels, ticksFitting } from "./ticks.js";
import { FAINT_INK, SIZE, textLine, textWidth } from "./typography.js";

const HEIGHT = 7;
const LONGEST = 220;

/**
 * A colour bar with its ticks and, under them, what the colours stand for. It is centred in `width`, from `left` on,
 * and refers to the gradients of {@link colorGradients}.
 */
export function colorBar(scale: ColorScale, label: string, place: { left: number; width: number }): Drawing {
  const length = Math.min(LONGEST, place.width);
  const start = place.left + (place.width - length) / 2;
  const [low, high] = scale.domain;
  const ticks = ticksFitting(low, high, length);
  const { format, factor } = tickLabels(ticks);
  const x = (value: number) => start + ((value - low) / (high - low)) * length;
  const fill = `url(#${gradientId(scale.colormap)})`;
  const marks = ticks.flatMap((tick) => [
    svg("line", {
      x1: x(tick),
      x2: x(tick),
      y1: HEIGHT,
      y2: HEIGHT + 3,
      stroke: FAINT_INK,
      "stroke-width": 0.75,
    }),
    textLine(format(tick), { x: x(tick), y: HEIGHT + 4 + SIZE.tick, size: SIZE.tick, anchor: "middle" }),
  ]);
  const text = `${label}${factor}`;
  // A long label under a short bar stays within the picture.
  const middle = Math.max(start + length / 2, textWidth(text, SIZE.label) / 2);
  const element = svg(
    "g",
    {},
    svg("rect", {
      x: start,
      y: 0.5,
      width: length,
      height: HEIGHT,
      fill,
      stroke: FAINT_INK,
      "stroke-width": 0.75,
    }),
    ...marks,
    textLine(text, { x: middle, y: HEIGHT + 20 + SIZE.tick - 2, anchor: "middle" }),
  );
  return { width: place.left + place.width, height: HEIGHT + 20 + SIZE.tick + 2, element };
}
