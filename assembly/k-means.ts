import { distance1, distances4, square0, square1, square2, square3 } from "./distance";
import { bound, lowerBound, sketchBytes, upperBound } from "./sketch";

/** Twice what rounding can do to a computed distance, relative to it: bounds that allow for it never lie. */
const SLACK: f64 = 4e-6;

/** A centre at least twice as far from the row's present one as the row itself cannot be nearer. */
function cannotBeNearer(apart: f64, square: f64): bool {
  return apart * (1 - SLACK) > 4 * square;
}

/**
 * Marks rows `from` to `to - 1` whose numbers `tryCentres` needs: 1 in the bytes at `chosen`, 0 for the others. Sketches
 * may show that a trial centre is not nearer; `sketches` is 0 where there are none.
 */
export function chooseForTrials(
  from: usize,
  to: usize,
  sketches: usize,
  dims: usize,
  trialSketches: usize,
  trialCount: usize,
  nearest: usize,
  squares: usize,
  separations: usize,
  separationStride: usize,
  chosen: usize,
): void {
  for (let i = from; i < to; i++) {
    const square = load<f64>(squares + (i << 3));
    const separation = separations + (load<u32>(nearest + (i << 2)) << 3);
    let needed: u8 = 0;
    for (let t: usize = 0; t < trialCount && !needed; t++) {
      if (cannotBeNearer(load<f64>(separation + ((t * separationStride) << 3)), square)) continue;
      if (sketches) {
        bound(sketches + i * sketchBytes(dims), trialSketches + t * sketchBytes(dims), dims);
        if (lowerBound * lowerBound > square) continue;
      }
      needed = 1;
    }
    store<u8>(chosen + i, needed);
  }
}

/**
 * k-means++: for rows `from` to `to - 1` and every trial centre (given by its address), the square that the row
 * would have to its nearest centre with that one added. The triangle inequality saves distances. Rows with a 0 in
 * the bytes at `chosen`, if that is an address, keep their squares.
 */
export function tryCentres(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  trials: usize,
  trialCount: usize,
  nearest: usize,
  squares: usize,
  separations: usize,
  separationStride: usize,
  out: usize,
  chosen: usize,
): void {
  for (let i = from; i < to; i++) {
    const x = rows + i * stride;
    const square = load<f64>(squares + (i << 3));
    if (chosen && !load<u8>(chosen + i)) {
      for (let t: usize = 0; t < trialCount; t++) store<f64>(out + ((i * trialCount + t) << 3), square);
      continue;
    }
    const separation = separations + (load<u32>(nearest + (i << 2)) << 3);
    for (let t: usize = 0; t < trialCount; t++) {
      const at = out + ((i * trialCount + t) << 3);
      const apart = load<f64>(separation + ((t * separationStride) << 3));
      if (cannotBeNearer(apart, square)) {
        store<f64>(at, square);
      } else {
        store<f64>(at, min(square, distance1(x, load<u32>(trials + (t << 2)), stride)));
      }
    }
  }
}

// The state of `assign` for the row at hand.
let row: usize = 0;
let label: usize = 0;
let distance: f64 = 0;

function consider(b: usize, square: f64, lower: usize, drifts: usize): void {
  const d = sqrt(square);
  store<f32>(lower + (b << 2), f32((d * (1 - SLACK) + load<f64>(drifts + (b << 3))) * (1 - 1e-7)));
  if (d < distance || (d === distance && b < label)) {
    label = b;
    distance = d;
  }
}

/**
 * The nearest centroid of rows `from` to `to - 1`, the lowest index among equals; distances that bounds show
 * to be larger are not computed. Elkan, "Using the triangle inequality to accelerate k-means", ICML 2003.
 *
 * `drifts` holds how far every centroid has moved since the start. A bound is stored together with the drift
 * at its time, so that it loosens by itself: lower - drift <= distance <= upper + drift.
 */
export function assign(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  centroids: usize,
  clusters: usize,
  separations: usize,
  drifts: usize,
  labels: usize,
  uppers: usize,
  lowers: usize,
): void {
  for (let i = from; i < to; i++) {
    const lower = lowers + ((i * clusters) << 2);
    label = load<u32>(labels + (i << 2));
    const upper = load<f64>(uppers + (i << 3)) + load<f64>(drifts + (label << 3));
    if (!anyWithin(upper, clusters, lower, separations, drifts)) continue;

    row = rows + i * stride;
    distance = Infinity;
    const own = label;
    consider(own, distance1(row, centroids + own * stride, stride), lower, drifts);
    let pending: usize = 0;
    let b0: usize = 0;
    let b1: usize = 0;
    let b2: usize = 0;
    for (let b: usize = 0; b < clusters; b++) {
      if (b === own || !within(b, distance * (1 + SLACK), clusters, lower, separations, drifts)) continue;
      if (pending === 0) b0 = b;
      else if (pending === 1) b1 = b;
      else if (pending === 2) b2 = b;
      else {
        distances4(
          row,
          centroids + b0 * stride,
          centroids + b1 * stride,
          centroids + b2 * stride,
          centroids + b * stride,
          stride,
        );
        consider(b0, square0, lower, drifts);
        consider(b1, square1, lower, drifts);
        consider(b2, square2, lower, drifts);
        consider(b, square3, lower, drifts);
      }
      pending = (pending + 1) & 3;
    }
    if (pending > 0) consider(b0, distance1(row, centroids + b0 * stride, stride), lower, drifts);
    if (pending > 1) consider(b1, distance1(row, centroids + b1 * stride, stride), lower, drifts);
    if (pending > 2) consider(b2, distance1(row, centroids + b2 * stride, stride), lower, drifts);
    store<u32>(labels + (i << 2), label);
    store<f64>(uppers + (i << 3), distance * (1 + SLACK) - load<f64>(drifts + (label << 3)));
  }
}

/**
 * Improves the bounds of rows `from` to `to - 1` by sketches, where they leave the nearest centroid open, and moves a row
 * to the centroid that its sketch is nearest to; `assign` finds the same label from there.
 */
export function tighten(
  from: usize,
  to: usize,
  sketches: usize,
  dims: usize,
  centroidSketches: usize,
  clusters: usize,
  separations: usize,
  drifts: usize,
  labels: usize,
  uppers: usize,
  lowers: usize,
): void {
  const size = sketchBytes(dims);
  for (let i = from; i < to; i++) {
    const lower = lowers + ((i * clusters) << 2);
    label = load<u32>(labels + (i << 2));
    let upper = load<f64>(uppers + (i << 3)) + load<f64>(drifts + (label << 3));
    if (!anyWithin(upper, clusters, lower, separations, drifts)) continue;
    for (let b: usize = 0; b < clusters; b++) {
      bound(sketches + i * size, centroidSketches + b * size, dims);
      const at = lower + (b << 2);
      const low = f32((lowerBound + load<f64>(drifts + (b << 3))) * (1 - 1e-7));
      store<f32>(at, max(load<f32>(at), low));
      if (upperBound < upper) {
        upper = upperBound;
        label = b;
      }
    }
    store<u32>(labels + (i << 2), label);
    store<f64>(uppers + (i << 3), upper - load<f64>(drifts + (label << 3)));
  }
}

/**
 * Marks rows `from` to `to - 1` whose numbers `assign` needs, because bounds leave their nearest centroid open: 1 in
 * the bytes at `chosen`, 0 for the others.
 */
export function chooseUndecided(
  from: usize,
  to: usize,
  clusters: usize,
  separations: usize,
  drifts: usize,
  labels: usize,
  uppers: usize,
  lowers: usize,
  chosen: usize,
): void {
  for (let i = from; i < to; i++) {
    label = load<u32>(labels + (i << 2));
    const upper = load<f64>(uppers + (i << 3)) + load<f64>(drifts + (label << 3));
    const lower = lowers + ((i * clusters) << 2);
    store<u8>(chosen + i, u8(anyWithin(upper, clusters, lower, separations, drifts)));
  }
}

/** Whether centroid b may be as near as `upper`, the row's distance from the centroid `label`. */
function within(
  b: usize,
  upper: f64,
  clusters: usize,
  lower: usize,
  separations: usize,
  drifts: usize,
): bool {
  if (f64(load<f32>(lower + (b << 2))) - load<f64>(drifts + (b << 3)) > upper) return false;
  return load<f64>(separations + ((label * clusters + b) << 3)) * (1 - SLACK) - upper <= upper;
}

function anyWithin(upper: f64, clusters: usize, lower: usize, separations: usize, drifts: usize): bool {
  for (let b: usize = 0; b < clusters; b++) {
    if (b !== label && within(b, upper, clusters, lower, separations, drifts)) return true;
  }
  return false;
}

/**
 * Takes `count` rows from the float64 sums of their old clusters and adds them to those of their new ones:
 * columns 8 from to 8 to - 1. `moves` holds (row, old, new) triples; old is -1 for a row that is in no sum
 * yet.
 */
export function moveRows(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  moves: usize,
  count: usize,
  sums: usize,
): void {
  for (let m: usize = 0; m < count; m++) {
    const move = moves + m * 12;
    const x = rows + ((load<u32>(move) * stride) << 2);
    const before = load<i32>(move, 4);
    if (before >= 0) addRow(from << 3, to << 3, x, sums + ((usize(before) * stride) << 3), -1);
    addRow(from << 3, to << 3, x, sums + ((load<u32>(move, 8) * stride) << 3), 1);
  }
}

function addRow(from: usize, to: usize, x: usize, sum: usize, sign: f64): void {
  const factor = f64x2.splat(sign);
  for (let j = from; j < to; j += 2) {
    const at = sum + (j << 3);
    const pair = f64x2.promote_low_f32x4(v128.load64_zero(x + (j << 2)));
    v128.store(at, f64x2.add(v128.load(at), f64x2.mul(pair, factor)));
  }
}

/**
 * Means (float64) and centroids (the same in float32) `from` to `to - 1` from sums and sizes; how far a
 * centroid has moved is added to its drift.
 */
export function recentre(
  from: usize,
  to: usize,
  sums: usize,
  sizes: usize,
  stride: usize,
  means: usize,
  centroids: usize,
  before: usize,
  drifts: usize,
): void {
  for (let b = from; b < to; b++) {
    const size = f64(load<u32>(sizes + (b << 2)));
    const offset = (b * stride) << 2;
    for (let at = offset, end = offset + (stride << 2); at < end; at += 4) {
      const mean = load<f64>(sums + (at << 1)) / size;
      store<f64>(means + (at << 1), mean);
      store<f32>(centroids + at, f32(mean));
    }
    const moved = sqrt(distance1(centroids + offset, before + offset, stride << 2));
    const at = drifts + (b << 3);
    store<f64>(at, load<f64>(at) + moved * (1 + SLACK));
  }
}

/**
 * Squared distances between the trial rows `from` to `to - 1` and `count` centres, all given by their addresses.
 */
export function squaresBetween(
  from: usize,
  to: usize,
  stride: usize,
  trials: usize,
  centres: usize,
  count: usize,
  out: usize,
  outStride: usize,
): void {
  for (let t = from; t < to; t++) {
    const x: usize = load<u32>(trials + (t << 2));
    for (let c: usize = 0; c < count; c++) {
      const y: usize = load<u32>(centres + (c << 2));
      store<f64>(out + ((t * outStride + c) << 3), distance1(x, y, stride));
    }
  }
}
