// Sketches of rows: coordinates in an orthonormal basis of a few directions, and the length of the rest. The distance of
// two rows follows from those of their sketches up to the product of the two rests, so that most comparisons need no row.
//
// A sketch of `dims` coordinates, a multiple of 4, takes 16 + 4 dims bytes: bounds of the length of the rest, the length of
// the row, and the coordinates, all in float32.

/** Bytes of a row (256 columns) that are summed in float32 before they enter the float64 total. */
const RUN: usize = 1024;
const HEAD: usize = 16;

// Rounding, relative to the lengths of the rows. A coordinate is off by less than 40 * 2^-24 of the length, 64 of them by
// less than 2e-5; a basis rounded to float32 adds less than 1e-5, so that squared lengths are off by less than 6e-5.
const COORDINATES: f64 = 3e-5;
const SQUARES: f64 = 1e-4;
/** Rounding of a bound itself, and twice that of a distance which is computed from the rows. */
const SLACK: f64 = 1e-5;

// The results of `bound`. Globals belong to an instance of the module, hence to one thread.
export let lowerBound: f64 = 0;
export let upperBound: f64 = 0;

function lanes(sum: v128): f64 {
  const upper = v128.shuffle<u64>(sum, sum, 1, 0);
  const pair = f64x2.add(f64x2.promote_low_f32x4(sum), f64x2.promote_low_f32x4(upper));
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

function dot(x: usize, y: usize, bytes: usize): f64 {
  const end = x + bytes;
  let found: f64 = 0;
  while (x < end) {
    const stop = min(x + RUN, end);
    let even = f32x4.splat(0);
    let odd = f32x4.splat(0);
    for (; x < stop; x += 32, y += 32) {
      even = f32x4.add(even, f32x4.mul(v128.load(x), v128.load(y)));
      odd = f32x4.add(odd, f32x4.mul(v128.load(x, 16), v128.load(y, 16)));
    }
    found += lanes(f32x4.add(even, odd));
  }
  return found;
}

/** Inner products of the row at `x` with four vectors that lie `bytes` apart, as float32 at `out`. */
function dots4(x: usize, y0: usize, bytes: usize, out: usize): void {
  const end = x + bytes;
  let y1 = y0 + bytes;
  let y2 = y1 + bytes;
  let y3 = y2 + bytes;
  let s0: f64 = 0;
  let s1: f64 = 0;
  let s2: f64 = 0;
  let s3: f64 = 0;
  while (x < end) {
    const stop = min(x + RUN, end);
    let even0 = f32x4.splat(0);
    let even1 = even0;
    let even2 = even0;
    let even3 = even0;
    let odd0 = even0;
    let odd1 = even0;
    let odd2 = even0;
    let odd3 = even0;
    for (; x < stop; x += 32, y0 += 32, y1 += 32, y2 += 32, y3 += 32) {
      const even = v128.load(x);
      even0 = f32x4.add(even0, f32x4.mul(even, v128.load(y0)));
      even1 = f32x4.add(even1, f32x4.mul(even, v128.load(y1)));
      even2 = f32x4.add(even2, f32x4.mul(even, v128.load(y2)));
      even3 = f32x4.add(even3, f32x4.mul(even, v128.load(y3)));
      const odd = v128.load(x, 16);
      odd0 = f32x4.add(odd0, f32x4.mul(odd, v128.load(y0, 16)));
      odd1 = f32x4.add(odd1, f32x4.mul(odd, v128.load(y1, 16)));
      odd2 = f32x4.add(odd2, f32x4.mul(odd, v128.load(y2, 16)));
      odd3 = f32x4.add(odd3, f32x4.mul(odd, v128.load(y3, 16)));
    }
    s0 += lanes(f32x4.add(even0, odd0));
    s1 += lanes(f32x4.add(even1, odd1));
    s2 += lanes(f32x4.add(even2, odd2));
    s3 += lanes(f32x4.add(even3, odd3));
  }
  store<f32>(out, f32(s0));
  store<f32>(out, f32(s1), 4);
  store<f32>(out, f32(s2), 8);
  store<f32>(out, f32(s3), 12);
}

/** Inner products of rows `from` to `to - 1` with `dims` vectors, as float32 at `out`, `outStride` bytes a row. */
export function project(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  vectors: usize,
  dims: usize,
  out: usize,
  outStride: usize,
): void {
  for (let i = from; i < to; i++) {
    for (let k: usize = 0; k < dims; k += 4) {
      dots4(rows + i * stride, vectors + k * stride, stride, out + i * outStride + (k << 2));
    }
  }
}

/** Sketches of rows `from` to `to - 1` in an orthonormal basis. */
export function sketchRows(
  from: usize,
  to: usize,
  rows: usize,
  stride: usize,
  basis: usize,
  dims: usize,
  out: usize,
): void {
  const size = HEAD + (dims << 2);
  project(from, to, rows, stride, basis, dims, out + HEAD, size);
  for (let i = from; i < to; i++) {
    const x = rows + i * stride;
    const at = out + i * size;
    const square = dot(x, x, stride);
    let rest = square;
    for (let k: usize = 0; k < dims; k++) {
      const coordinate = f64(load<f32>(at + HEAD + (k << 2)));
      rest -= coordinate * coordinate;
    }
    store<f32>(at, f32(sqrt(max<f64>(0, rest - SQUARES * square))));
    store<f32>(at, f32(sqrt(max<f64>(0, rest + SQUARES * square))), 4);
    store<f32>(at, f32(sqrt(square)), 8);
  }
}

/** Bounds of the distance between two rows from their sketches, left in `lowerBound` and `upperBound`. */
export function bound(x: usize, y: usize, dims: usize): void {
  let sum = f32x4.splat(0);
  for (let at: usize = HEAD, end: usize = HEAD + (dims << 2); at < end; at += 16) {
    const difference = f32x4.sub(v128.load(x + at), v128.load(y + at));
    sum = f32x4.add(sum, f32x4.mul(difference, difference));
  }
  const along = sqrt(lanes(sum));
  const error = COORDINATES * (f64(load<f32>(x, 8)) + f64(load<f32>(y, 8)));
  const apart = max(
    max(f64(load<f32>(x)) - f64(load<f32>(y, 4)), f64(load<f32>(y)) - f64(load<f32>(x, 4))),
    0,
  );
  const together = f64(load<f32>(x, 4)) + f64(load<f32>(y, 4));
  const least = max<f64>(0, along - error);
  const most = along + error;
  lowerBound = sqrt(least * least + apart * apart) * (1 - SLACK);
  upperBound = sqrt(most * most + together * together) * (1 + SLACK);
}

/**
 * Bounds of the squares that rows `from` to `to - 1` would have to their nearest centre with a trial centre added: the
 * lower ones at `out`, or the upper ones.
 */
export function boundTrials(
  from: usize,
  to: usize,
  sketches: usize,
  dims: usize,
  trials: usize,
  trialCount: usize,
  squares: usize,
  isUpper: bool,
  out: usize,
): void {
  const size = HEAD + (dims << 2);
  for (let i = from; i < to; i++) {
    const square = load<f64>(squares + (i << 3));
    for (let t: usize = 0; t < trialCount; t++) {
      bound(sketches + i * size, trials + t * size, dims);
      const d = isUpper ? upperBound : lowerBound;
      store<f64>(out + ((i * trialCount + t) << 3), min(square, d * d));
    }
  }
}

/** Bytes of a sketch. */
export function sketchBytes(dims: usize): usize {
  return HEAD + (dims << 2);
}
