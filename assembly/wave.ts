// One step of the acoustic wave equation on a grid of float64, rows of depth by columns: second order in time, fourth
// in space. A module of its own, so small that a page may compile it at once, without waiting.

/** p + keep (p - p-) + courant (4/3 near - 1/12 far - 5 p) for the pair of cells at `now`; `before` becomes p+. */
function update(now: usize, before: usize, stride: usize, courant: v128, keep: v128): void {
  const p = v128.load(now);
  const near = f64x2.add(
    f64x2.add(v128.load(now - 8), v128.load(now + 8)),
    f64x2.add(v128.load(now - stride), v128.load(now + stride)),
  );
  const far = f64x2.add(
    f64x2.add(v128.load(now - 16), v128.load(now + 16)),
    f64x2.add(v128.load(now - 2 * stride), v128.load(now + 2 * stride)),
  );
  const laplacian = f64x2.sub(
    f64x2.sub(f64x2.mul(f64x2.splat(4.0 / 3.0), near), f64x2.mul(f64x2.splat(1.0 / 12.0), far)),
    f64x2.mul(f64x2.splat(5), p),
  );
  const drift = f64x2.mul(keep, f64x2.sub(p, v128.load(before)));
  v128.store(before, f64x2.add(f64x2.add(p, drift), f64x2.mul(courant, laplacian)));
}

/**
 * Advances rows `firstRow` to `endRow - 1`, columns `firstColumn` to `endColumn - 1` (even numbers): `before` holds p-
 * and is overwritten by p+. Cell (0, 0) lies at the given addresses; two cells of margin surround the grid. `courants`
 * has (c dt / dx)^2 by row; a cell keeps of dp/dt what the stronger of two dampings leaves, its row's (`rowKeeps`) and
 * its column's (`columnKeeps`). With `mirror` the field is symmetric about column 0, and the margin on its left is kept
 * so.
 */
export function waveStep(
  now: usize,
  before: usize,
  stride: usize,
  firstRow: usize,
  endRow: usize,
  firstColumn: usize,
  endColumn: usize,
  courants: usize,
  rowKeeps: usize,
  columnKeeps: usize,
  mirror: bool,
): void {
  const first = firstColumn << 3;
  const end = endColumn << 3;
  for (let row = firstRow; row < endRow; row++) {
    const p = now + row * stride;
    const q = before + row * stride;
    const courant = v128.load64_splat(courants + (row << 3));
    const rowKeep = v128.load64_splat(rowKeeps + (row << 3));
    for (let x = first; x < end; x += 16) {
      const keep = f64x2.pmin(rowKeep, v128.load(columnKeeps + x));
      update(p + x, q + x, stride, courant, keep);
    }
    if (mirror) {
      store<f64>(q - 8, load<f64>(q + 8));
      store<f64>(q - 16, load<f64>(q + 16));
    }
  }
}
