// The forward complex Fourier transform of float64, real and imaginary parts apart: Stockham's self-sorting algorithm with
// radix 4, and one pass of radix 2 where the power of two is odd. A module of its own, so small that a page may compile it
// at once, without waiting.

/** The real part of a product of complex numbers, and the imaginary one. */
function real(xr: v128, xi: v128, yr: v128, yi: v128): v128 {
  return f64x2.sub(f64x2.mul(xr, yr), f64x2.mul(xi, yi));
}

function imaginary(xr: v128, xi: v128, yr: v128, yi: v128): v128 {
  return f64x2.add(f64x2.mul(xr, yi), f64x2.mul(xi, yr));
}

/** Two numbers of a table, `step` bytes apart. */
function pair(table: usize, step: usize): v128 {
  return f64x2.replace_lane(v128.load64_splat(table), 1, load<f64>(table + step));
}

/** Stores four results of two neighbours: all of the first one, then all of the second. */
function storeTurned(to: usize, x0: v128, x1: v128, x2: v128, x3: v128): void {
  v128.store(to, v128.shuffle<u64>(x0, x1, 0, 2));
  v128.store(to + 16, v128.shuffle<u64>(x2, x3, 0, 2));
  v128.store(to + 32, v128.shuffle<u64>(x0, x1, 1, 3));
  v128.store(to + 48, v128.shuffle<u64>(x2, x3, 1, 3));
}

/** The first pass, of 8 numbers or more: neighbours have factors of their own. */
function firstPass(
  length: usize,
  xr: usize,
  xi: usize,
  yr: usize,
  yi: usize,
  cosine: usize,
  sine: usize,
): void {
  const apart = length << 1; // bytes of a quarter
  for (let a: usize = 0; a < apart; a += 16) {
    const ar = v128.load(xr + a);
    const ai = v128.load(xi + a);
    const br = v128.load(xr + a + apart);
    const bi = v128.load(xi + a + apart);
    const cr = v128.load(xr + a + 2 * apart);
    const ci = v128.load(xi + a + 2 * apart);
    const dr = v128.load(xr + a + 3 * apart);
    const di = v128.load(xi + a + 3 * apart);
    const acr = f64x2.add(ar, cr);
    const aci = f64x2.add(ai, ci);
    const awayAcr = f64x2.sub(ar, cr);
    const awayAci = f64x2.sub(ai, ci);
    const bdr = f64x2.add(br, dr);
    const bdi = f64x2.add(bi, di);
    const awayBdr = f64x2.sub(br, dr);
    const awayBdi = f64x2.sub(bi, di);
    const r1 = f64x2.add(awayAcr, awayBdi);
    const i1 = f64x2.sub(awayAci, awayBdr);
    const r2 = f64x2.sub(acr, bdr);
    const i2 = f64x2.sub(aci, bdi);
    const r3 = f64x2.sub(awayAcr, awayBdi);
    const i3 = f64x2.add(awayAci, awayBdr);
    const w1r = v128.load(cosine + a);
    const w1i = v128.load(sine + a);
    const w2r = pair(cosine + 2 * a, 16);
    const w2i = pair(sine + 2 * a, 16);
    const w3r = pair(cosine + 3 * a, 24);
    const w3i = pair(sine + 3 * a, 24);
    storeTurned(
      yr + 4 * a,
      f64x2.add(acr, bdr),
      real(w1r, w1i, r1, i1),
      real(w2r, w2i, r2, i2),
      real(w3r, w3i, r3, i3),
    );
    storeTurned(
      yi + 4 * a,
      f64x2.add(aci, bdi),
      imaginary(w1r, w1i, r1, i1),
      imaginary(w2r, w2i, r2, i2),
      imaginary(w3r, w3i, r3, i3),
    );
  }
}

/** A later pass, over `stride` interleaved transforms of `n` numbers: neighbours have the same factors. */
function laterPass(
  n: usize,
  stride: usize,
  xr: usize,
  xi: usize,
  yr: usize,
  yi: usize,
  cosine: usize,
  sine: usize,
): void {
  const quarter = n >> 2;
  const step = stride << 3;
  const apart = quarter * step;
  for (let p: usize = 0; p < quarter; p++) {
    const w1r = v128.load64_splat(cosine + p * step);
    const w1i = v128.load64_splat(sine + p * step);
    const w2r = v128.load64_splat(cosine + 2 * p * step);
    const w2i = v128.load64_splat(sine + 2 * p * step);
    const w3r = v128.load64_splat(cosine + 3 * p * step);
    const w3i = v128.load64_splat(sine + 3 * p * step);
    const end = (p + 1) * step;
    for (let a = p * step, y = 4 * p * step; a < end; a += 16, y += 16) {
      const ar = v128.load(xr + a);
      const ai = v128.load(xi + a);
      const br = v128.load(xr + a + apart);
      const bi = v128.load(xi + a + apart);
      const cr = v128.load(xr + a + 2 * apart);
      const ci = v128.load(xi + a + 2 * apart);
      const dr = v128.load(xr + a + 3 * apart);
      const di = v128.load(xi + a + 3 * apart);
      const acr = f64x2.add(ar, cr);
      const aci = f64x2.add(ai, ci);
      const awayAcr = f64x2.sub(ar, cr);
      const awayAci = f64x2.sub(ai, ci);
      const bdr = f64x2.add(br, dr);
      const bdi = f64x2.add(bi, di);
      const awayBdr = f64x2.sub(br, dr);
      const awayBdi = f64x2.sub(bi, di);
      const r1 = f64x2.add(awayAcr, awayBdi);
      const i1 = f64x2.sub(awayAci, awayBdr);
      const r2 = f64x2.sub(acr, bdr);
      const i2 = f64x2.sub(aci, bdi);
      const r3 = f64x2.sub(awayAcr, awayBdi);
      const i3 = f64x2.add(awayAci, awayBdr);
      v128.store(yr + y, f64x2.add(acr, bdr));
      v128.store(yi + y, f64x2.add(aci, bdi));
      v128.store(yr + y + step, real(w1r, w1i, r1, i1));
      v128.store(yi + y + step, imaginary(w1r, w1i, r1, i1));
      v128.store(yr + y + 2 * step, real(w2r, w2i, r2, i2));
      v128.store(yi + y + 2 * step, imaginary(w2r, w2i, r2, i2));
      v128.store(yr + y + 3 * step, real(w3r, w3i, r3, i3));
      v128.store(yi + y + 3 * step, imaginary(w3r, w3i, r3, i3));
    }
  }
}

/** The last pass where the power is odd, of pairs, which needs no factors. */
function lastPass(length: usize, xr: usize, xi: usize, yr: usize, yi: usize): void {
  const half = length << 2; // bytes of a half
  for (let a: usize = 0; a < half; a += 16) {
    const ar = v128.load(xr + a);
    const ai = v128.load(xi + a);
    const br = v128.load(xr + a + half);
    const bi = v128.load(xi + a + half);
    v128.store(yr + a, f64x2.add(ar, br));
    v128.store(yi + a, f64x2.add(ai, bi));
    v128.store(yr + a + half, f64x2.sub(ar, br));
    v128.store(yi + a + half, f64x2.sub(ai, bi));
  }
}

/**
 * X_k = sum over j of x_j exp(-2 pi i j k / length), of a power of two of 8 or more numbers at `re` and `im`, with room for
 * as many at `otherRe` and `otherIm`, and with tables of cos(2 pi k / length) and -sin(2 pi k / length). Returns whether
 * the result lies there and not in the place of the numbers.
 */
export function transform(
  length: usize,
  re: usize,
  im: usize,
  otherRe: usize,
  otherIm: usize,
  cosine: usize,
  sine: usize,
): bool {
  firstPass(length, re, im, otherRe, otherIm, cosine, sine);
  let isThere = true;
  let stride: usize = 4;
  for (; length >= 4 * stride; stride *= 4) {
    if (isThere) laterPass(length / stride, stride, otherRe, otherIm, re, im, cosine, sine);
    else laterPass(length / stride, stride, re, im, otherRe, otherIm, cosine, sine);
    isThere = !isThere;
  }
  if (length === 2 * stride) {
    if (isThere) lastPass(length, otherRe, otherIm, re, im);
    else lastPass(length, re, im, re, im);
    isThere = false;
  }
  return isThere;
}
