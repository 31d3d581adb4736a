// Sums, deviations and normalisation in float64 over rows that are float32 or float64 in memory.
// `stride` is always in columns, a multiple of 8.

function loadPair<T>(row: usize, column: usize): v128 {
  if (sizeof<T>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(row + (column << 2)));
  return v128.load(row + (column << 3));
}

function addColumns<T>(from: usize, to: usize, rows: usize, count: usize, stride: usize, sums: usize): void {
  for (let i: usize = 0; i < count; i++) {
    const row = rows + i * stride * sizeof<T>();
    for (let j = from; j < to; j += 2) {
      const at = sums + (j << 3);
      v128.store(at, f64x2.add(v128.load(at), loadPair<T>(row, j)));
    }
  }
}

function squaredDeviation<T>(row: usize, columns: usize, centre: usize): f64 {
  let even = f64x2.splat(0);
  let odd = f64x2.splat(0);
  for (let j: usize = 0; j < columns; j += 4) {
    const first = f64x2.sub(loadPair<T>(row, j), v128.load(centre + (j << 3)));
    const second = f64x2.sub(loadPair<T>(row, j + 2), v128.load(centre + (j << 3), 16));
    even = f64x2.add(even, f64x2.mul(first, first));
    odd = f64x2.add(odd, f64x2.mul(second, second));
  }
  const sum = f64x2.add(even, odd);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function deviations<T>(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  centres: usize,
  labels: usize,
  out: usize,
): void {
  for (let i = from; i < to; i++) {
    const label = labels ? load<u32>(labels + (i << 2)) : 0;
    const row = rows + i * stride * sizeof<T>();
    store<f64>(out + (i << 3), squaredDeviation<T>(row, stride, centres + ((label * stride) << 3)));
  }
}

function normalise<T>(row: usize, columns: usize, mean: usize, scale: f64, out: usize): void {
  const divisor = f64x2.splat(scale);
  for (let j: usize = 0; j < columns; j += 4) {
    const low = f64x2.div(f64x2.sub(loadPair<T>(row, j), v128.load(mean + (j << 3))), divisor);
    const high = f64x2.div(f64x2.sub(loadPair<T>(row, j + 2), v128.load(mean + (j << 3), 16)), divisor);
    const four = v128.shuffle<u64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
    v128.store(out + (j << 2), four);
  }
}

/** Adds columns 8 from to 8 to - 1 of `count` rows to the float64 sums, row after row. */
export function addColumns32(
  from: usize,
  to: usize,
  rows: usize,
  count: usize,
  stride: usize,
  sums: usize,
): void {
  addColumns<f32>(from << 3, to << 3, rows, count, stride, sums);
}

export function addColumns64(
  from: usize,
  to: usize,
  rows: usize,
  count: usize,
  stride: usize,
  sums: usize,
): void {
  addColumns<f64>(from << 3, to << 3, rows, count, stride, sums);
}

/**
 * Squared distance of every row from the float64 centre that its label names; from the first without labels.
 */
export function deviations32(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  centres: usize,
  labels: usize,
  out: usize,
): void {
  deviations<f32>(from, to, rows, stride, centres, labels, out);
}

export function deviations64(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  centres: usize,
  labels: usize,
  out: usize,
): void {
  deviations<f64>(from, to, rows, stride, centres, labels, out);
}

/**
 * Writes float32((row - mean) / scale) to `out`, which may be `rows` itself; only of rows that have a 1 in the bytes at
 * `chosen`, if that is an address.
 */
export function normalise32(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  mean: usize,
  scale: f64,
  out: usize,
  chosen: usize,
): void {
  for (let i = from; i < to; i++) {
    if (chosen && !load<u8>(chosen + i)) continue;
    const offset = (i * stride) << 2;
    normalise<f32>(rows + offset, stride, mean, scale, out + offset);
  }
}

export function normalise64(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  mean: usize,
  scale: f64,
  out: usize,
  chosen: usize,
): void {
  for (let i = from; i < to; i++) {
    if (chosen && !load<u8>(chosen + i)) continue;
    const offset = (i * stride) << 2;
    normalise<f64>(rows + (offset << 1), stride, mean, scale, out + offset);
  }
}
