import { type ColorScale, colorScale } from "../../../../figures/colormaps.js";
import { extent } from "../../../../figures/samples/extent.js";
import { type ImagePanel, isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import { roundStep } from "../../../../figures/ticks.js";
import type { RangesView, ValueRange } from "../../../lab/value-ranges.js";

/** How values of each quantity become colours and heights. */
export interface Scales {
  readonly colors: ReadonlyMap<string, ColorScale>;
  readonly ticks: ReadonlyMap<string, readonly number[]>;
  /** Quantities with values beyond their colours. */
  readonly cut: ReadonlySet<string>;
}

/**
 * Scales of the panels on show: over most values of all samples where `known` has them, so that samples can be compared,
 * else over the values on show alone. Curves are shown whole.
 */
export function scalesOf(panels: readonly SamplePanel[], known: RangesView | undefined): Scales {
  const colors = new Map<string, ColorScale>();
  const ticks = new Map<string, readonly number[]>();
  const cut = new Set<string>();
  for (const quantity of new Set(panels.map((panel) => panel.quantity))) {
    const own = panels.filter((panel) => panel.quantity === quantity);
    const images = own.filter(isImage);
    const range = widened(known, quantity, own);
    if (images.length > 0) {
      const scale = imageScale(images, range);
      colors.set(quantity, scale);
      const [low, high] = scale.domain;
      if (range ? range.low < low || range.high > high : images[0].colors?.share) cut.add(quantity);
    }
    const curves = own.flatMap((panel) => (isImage(panel) ? [] : [panel]));
    if (curves.length > 0) {
      const ends = [
        0,
        ...curves.flatMap(({ curve }) => extent(curve.y)),
        ...(range ? [range.low, range.high] : []),
      ];
      ticks.set(quantity, ticksOver(Math.min(...ends), Math.max(...ends)));
    }
  }
  return { colors, ticks, cut };
}

/** The range of a quantity; while samples are still made, those on show may lie beyond the ones that are there. */
function widened(
  known: RangesView | undefined,
  quantity: string,
  own: readonly SamplePanel[],
): ValueRange | undefined {
  const range = known?.ranges[quantity];
  if (!range || !known.isPartial) return range;
  const ends = own.flatMap((panel) => extent(isImage(panel) ? panel.image.values : panel.curve.y));
  const [low, high] = [Math.min(range.low, ...ends), Math.max(range.high, ...ends)];
  return {
    low,
    high,
    most: [Math.min(range.most[0], ...ends), Math.max(range.most[1], ...ends)],
    reach: range.reach,
  };
}

function imageScale(images: readonly ImagePanel[], range: ValueRange | undefined): ColorScale {
  const { map, share } = images[0].colors ?? {};
  if (!range)
    return colorScale(
      images.map(({ image }) => image.values),
      { map, share },
    );
  const isSigned = range.low * range.high < 0 || map === "black-white";
  return colorScale([isSigned ? [-range.reach, range.reach] : range.most], { map });
}

/** Round numbers from at or below the one to at or above the other, close to both. */
function ticksOver(low: number, high: number): number[] {
  const [from, to] = low === high ? [low - 1, high + 1] : [low, high];
  const step = roundStep(to - from, 8);
  const first = Math.floor(from / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(to / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}
