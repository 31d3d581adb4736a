/** The point nearest to a place, the first among equals; undefined if none is within reach. Points are two numbers each. */
export function nearestPoint(
  points: ArrayLike<number>,
  [x, y]: readonly [number, number],
  reach = Number.POSITIVE_INFINITY,
): number | undefined {
  let best: number | undefined;
  let least = reach * reach;
  for (let i = 0, at = 0; at < points.length; i++, at += 2) {
    const [dx, dy] = [points[at] - x, points[at + 1] - y];
    const square = dx * dx + dy * dy;
    if (square < least || (best === undefined && square === least)) [best, least] = [i, square];
  }
  return best;
}

export type Direction = "right" | "left" | "up" | "down";

/** Unit vectors; up is where the second coordinate grows. */
const VECTORS: Readonly<Record<Direction, readonly [number, number]>> = {
  right: [1, 0],
  left: [-1, 0],
  up: [0, 1],
  down: [0, -1],
};

/**
 * The nearest point in a direction: within 45 degrees of it, the first among equals. Undefined at the edge of the map. The
 * four directions together see every point that lies elsewhere.
 */
export function nearestTowards(
  points: ArrayLike<number>,
  from: number,
  direction: Direction,
): number | undefined {
  const [a, b] = VECTORS[direction];
  const [x, y] = [points[2 * from], points[2 * from + 1]];
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0, at = 0; at < points.length; i++, at += 2) {
    const [dx, dy] = [points[at] - x, points[at + 1] - y];
    const along = a * dx + b * dy;
    if (along <= 0 || Math.abs(b * dx - a * dy) > along) continue;
    const square = dx * dx + dy * dy;
    if (square < least) [best, least] = [i, square];
  }
  return best;
}
