/** Consecutive output points, from `start` to `end - 1`. */
export interface TileRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Numbers in an activation of the trunk that stay in a core's second-level cache together with the handful of others
 * that a step needs at a time. On a grid of 101 x 101 points a step in tiles takes about two thirds of the time.
 */
const TILE = 40_000;

/** Divides output points into tiles of equal size, one for few points. */
export function tilesOf(points: number, width: number): readonly TileRange[] {
  const count = Math.ceil((points * width) / TILE);
  return Array.from({ length: count }, (_, i) => ({
    start: Math.round((points * i) / count),
    end: Math.round((points * (i + 1)) / count),
  }));
}

/** The columns of every tile as a matrix of its own; the values themselves if there is one tile. Rows may be channels of samples. */
export function tileColumns(
  values: Float32Array,
  columns: number,
  tiles: readonly TileRange[],
): readonly Float32Array[] {
  if (tiles.length === 1) return [values];
  const rows = values.length / columns;
  const parts = tiles.map(({ start, end }) => new Float32Array(rows * (end - start)));
  copyColumns(values, columns, tiles, parts);
  return parts;
}

/** Copies the columns of every tile into the first rows of its matrix. */
export function copyColumns(
  values: Float32Array,
  columns: number,
  tiles: readonly TileRange[],
  into: readonly Float32Array[],
): void {
  for (let row = 0; row < values.length / columns; row++)
    for (let tile = 0; tile < tiles.length; tile++) {
      const { start, end } = tiles[tile];
      into[tile].set(values.subarray(row * columns + start, row * columns + end), row * (end - start));
    }
}
