type Box = Pick<WantedLabel, "x" | "y" | "width" | "height">;

/** Where a label wants to be, and its size, in pixels. */
export interface WantedLabel {
  /** The place that it names, where its middle would be best. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** How far from its place it may be. */
  readonly reach: number;
}

/** Where a label is. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
}

/** Distances from its place at which a label is tried, in heights of labels, and directions. */
const DISTANCES = [0, 1, 1.5, 2.1, 2.9, 3.7];
const DIRECTIONS = Array.from({ length: 12 }, (_, i) => [
  Math.cos((i * Math.PI) / 6),
  Math.sin((i * Math.PI) / 6),
]);
/** Pixels between labels. */
const GAP = 1;

/**
 * Places of labels that do not overlap, within a frame. Labels come in the order of their importance: each takes the
 * nearest place that is free. Undefined for a label that finds none.
 */
export function labelPlaces(
  labels: readonly WantedLabel[],
  frame: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
): (LabelPlace | undefined)[] {
  const taken: WantedLabel[] = [];
  return labels.map((label) => {
    const half = { x: label.width / 2, y: label.height / 2 };
    for (const distance of DISTANCES.map((heights) => heights * label.height)) {
      if (distance > label.reach) break;
      for (const [dx, dy] of distance === 0 ? [[0, 0]] : DIRECTIONS) {
        const place = { ...label, x: label.x + distance * dx, y: label.y + distance * dy };
        const isInside =
          place.x - half.x >= frame.left &&
          place.x + half.x <= frame.right &&
          place.y - half.y >= frame.top &&
          place.y + half.y <= frame.bottom;
        if (!isInside || taken.some((other) => overlap(place, other))) continue;
        taken.push(place);
        return { x: place.x, y: place.y };
      }
    }
    return undefined;
  });
}

/** Whether two labels touch, or nearly so. */
export const overlap = (a: Box, b: Box): boolean =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 + GAP &&
  Math.abs(a.y - b.y) < (a.height + b.height) / 2 + GAP;
