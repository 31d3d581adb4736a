import { sketchCoordinates } from "./row-sketches.js";

/** Most bytes of one matrix with all that is computed from it: a WebAssembly memory ends at 4 GiB. */
export const LIMIT = 3.9e9;
/** Bytes of a process besides its matrix: Node, threads, and what is read at the time. */
const PROCESS = 6e8;
/** Bytes of a row's label, distance and order in JavaScript's own memory. */
const PER_ROW = 64;
/** Bytes of a matrix that is small enough whatever the memory. */
const SMALLEST = 6.4e7;
/** Bytes of a window through which rows pass that are not kept, and the part of the storage it takes at most. */
const WINDOW = 2 ** 25;
const WINDOW_PART = 1 / 16;
/** Part of the storage that sketches take at most. The bounds of k-means take 32 bytes a row and 4 more for each bin. */
const SKETCHES_PART = 0.4;

/** How much of a matrix is kept in memory. */
export interface RowStorage {
  /** Bytes of rows, windows and working memory that should not be exceeded. */
  readonly limit: number;
  /** Rows that are kept at first. */
  readonly resident: number;
  /** Rows of a window through which the others pass. */
  readonly window: number;
  /** Coordinates of the sketches that spare reading rows, a multiple of 4; 0 for none. */
  readonly sketch: number;
}

/**
 * The storage of a matrix in a process that may take `memory` bytes.
 * @param besides bytes of working memory that come with the first rows
 */
export function rowStorage(rows: number, columns: number, memory: number, besides = 0): RowStorage {
  const limit = Math.min(LIMIT, Math.max(SMALLEST, memory - PROCESS - PER_ROW * rows));
  const rowBytes = paddedColumns(columns) * 4;
  const window = Math.max(1, Math.floor(Math.min(WINDOW, limit * WINDOW_PART) / rowBytes));
  const resident = Math.max(0, Math.min(rows, Math.floor((limit - besides) / rowBytes)));
  const sketch = sketchCoordinates(columns, (limit * SKETCHES_PART) / rows);
  return { limit, resident, window: Math.min(window, rows), sketch };
}

/** Columns with padding: a whole number of the kernels' steps. */
export function paddedColumns(columns: number): number {
  return Math.ceil(columns / 8) * 8;
}
