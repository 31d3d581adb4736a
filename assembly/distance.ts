// Squared Euclidean distances between float32 rows, by differences: equal rows are at distance exactly zero,
// and the relative error of a square stays below 40 * 2^-24 whatever the rows. Rows are padded with zeros to
// a whole number of 32-byte steps. Lanes are added in one fixed order, so that a distance has the same bits
// however many rows were asked for at once.

/** Bytes of a row (256 columns) that are summed in float32 before they enter the float64 total. */
const RUN: usize = 1024;

// The results of `distances4`. Globals belong to an instance of the module, hence to one thread.
export let square0: f64 = 0;
export let square1: f64 = 0;
export let square2: f64 = 0;
export let square3: f64 = 0;

function addSquare(sum: v128, x: v128, y: v128): v128 {
  const difference = f32x4.sub(x, y);
  return f32x4.add(sum, f32x4.mul(difference, difference));
}

function total(even: v128, odd: v128): f64 {
  const sum = f32x4.add(even, odd);
  const upper = v128.shuffle<u64>(sum, sum, 1, 0);
  const pair = f64x2.add(f64x2.promote_low_f32x4(sum), f64x2.promote_low_f32x4(upper));
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** Squared distance between the rows at `x` and `y`, of `bytes` bytes each. */
export function distance1(x: usize, y: usize, bytes: usize): f64 {
  const end = x + bytes;
  let square: f64 = 0;
  while (x < end) {
    const stop = min(x + RUN, end);
    let even = f32x4.splat(0);
    let odd = f32x4.splat(0);
    for (; x < stop; x += 32, y += 32) {
      even = addSquare(even, v128.load(x), v128.load(y));
      odd = addSquare(odd, v128.load(x, 16), v128.load(y, 16));
    }
    square += total(even, odd);
  }
  return square;
}

/** Squared distances between the row at `x` and four others, left in `square0` to `square3`. */
export function distances4(x: usize, y0: usize, y1: usize, y2: usize, y3: usize, bytes: usize): void {
  const end = x + bytes;
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
      even0 = addSquare(even0, even, v128.load(y0));
      even1 = addSquare(even1, even, v128.load(y1));
      even2 = addSquare(even2, even, v128.load(y2));
      even3 = addSquare(even3, even, v128.load(y3));
      const odd = v128.load(x, 16);
      odd0 = addSquare(odd0, odd, v128.load(y0, 16));
      odd1 = addSquare(odd1, odd, v128.load(y1, 16));
      odd2 = addSquare(odd2, odd, v128.load(y2, 16));
      odd3 = addSquare(odd3, odd, v128.load(y3, 16));
    }
    s0 += total(even0, odd0);
    s1 += total(even1, odd1);
    s2 += total(even2, odd2);
    s3 += total(even3, odd3);
  }
  square0 = s0;
  square1 = s1;
  square2 = s2;
  square3 = s3;
}
