import { distance1, distances4, square0, square1, square2, square3 } from "./distance";

/** Rows and bytes of a tile: two tiles of 16 rows and 1024 columns (128 KiB) stay in a core's own cache. */
const TILE: usize = 16;
const PANEL: usize = 4096;

/**
 * Euclidean distances between rows: the upper triangle of the tiles of 16 rows `from` to `to - 1` of the
 * `count` x `count` float64 matrix at `out`, which holds zeros before, or the squares of columns that came before. Where
 * `more` columns follow, it holds squares after as well.
 */
export function pairwise(
  from: usize,
  to: usize,
  rows: usize,
  count: usize,
  stride: usize,
  out: usize,
  more: bool,
): void {
  for (let tile = from; tile < to; tile++) {
    const first = tile * TILE;
    const last = min(first + TILE, count);
    for (let other = first; other < count; other += TILE) {
      const end = min(other + TILE, count);
      for (let at: usize = 0; at < stride; at += PANEL) {
        const bytes = min(PANEL, stride - at);
        for (let i = first; i < last; i++) {
          addRow(rows + at, i, max(other, i + 1), end, stride, bytes, out + ((i * count) << 3));
        }
      }
    }
    if (more) continue;
    for (let i = first; i < last; i++) {
      for (let j = i + 1; j < count; j++) {
        const at = out + ((i * count + j) << 3);
        store<f64>(at, sqrt(load<f64>(at)));
      }
    }
  }
}

/** Adds to out[j], begin <= j < end, the squared distance between `bytes` bytes of row i and of row j. */
function addRow(
  rows: usize,
  i: usize,
  begin: usize,
  end: usize,
  stride: usize,
  bytes: usize,
  out: usize,
): void {
  const x = rows + i * stride;
  let j = begin;
  for (; j + 4 <= end; j += 4) {
    const y = rows + j * stride;
    distances4(x, y, y + stride, y + 2 * stride, y + 3 * stride, bytes);
    const at = out + (j << 3);
    store<f64>(at, load<f64>(at) + square0);
    store<f64>(at, load<f64>(at, 8) + square1, 8);
    store<f64>(at, load<f64>(at, 16) + square2, 16);
    store<f64>(at, load<f64>(at, 24) + square3, 24);
  }
  for (; j < end; j++) {
    const at = out + (j << 3);
    store<f64>(at, load<f64>(at) + distance1(x, rows + j * stride, bytes));
  }
}
