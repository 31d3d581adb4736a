import { contrast, LEVEL_STYLES, type SeriesStyle } from "../../../../../figures/palette.js";

/** Colours of bins and clients in their order, and markers that tell apart what has the same colour. */
const COLORS = LEVEL_STYLES.map(({ color }) => color);
const SYMBOLS = [...new Set(LEVEL_STYLES.map(({ symbol }) => symbol))];

/** Contrast that a mark needs with the ground (WCAG 2.2, 1.4.11). */
const ENOUGH = 3;

/**
 * Colours of bins. The first have one each; of those that follow, every bin takes the colour whose bins are farthest away
 * on the map, so that neighbours differ. Numbers at the centroids tell them apart anyway.
 *
 * @param centroids two numbers for each bin
 */
export function binColors(centroids: ArrayLike<number>): string[] {
  const taken: number[] = [];
  const apart = (bin: number, other: number) =>
    Math.hypot(centroids[2 * bin] - centroids[2 * other], centroids[2 * bin + 1] - centroids[2 * other + 1]);
  for (let bin = 0; bin < centroids.length / 2; bin++) {
    if (bin < COLORS.length) {
      taken.push(bin);
      continue;
    }
    const nearest = COLORS.map(() => Number.POSITIVE_INFINITY);
    taken.forEach((color, other) => {
      nearest[color] = Math.min(nearest[color], apart(bin, other));
    });
    taken.push(nearest.indexOf(Math.max(...nearest)));
  }
  return taken.map((color) => COLORS[color]);
}

/** Colours and markers of clients: 12 colours with 7 markers are different for 84 clients. */
export const clientStyles = (clients: number): SeriesStyle[] =>
  Array.from({ length: clients }, (_, i) => ({
    color: COLORS[i % COLORS.length],
    symbol: SYMBOLS[i % SYMBOLS.length],
  }));

/** The colour, darkened or lightened until it stands out from the ground. */
export function legibleOn(color: string, ground: string): string {
  const towards = contrast("#ffffff", ground) > contrast("#000000", ground) ? 255 : 0;
  const levels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = `#${levels
      .map((level) =>
        Math.round(level + part * (towards - level))
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")}`;
    if (contrast(mixed, ground) >= ENOUGH) return mixed;
  }
  return color;
}
