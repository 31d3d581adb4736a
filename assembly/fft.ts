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

/** Factors of two neighbours, `step` bytes apart in their table: the same one where that is 0. */
function factors(table: usize, step: usize): v128 {
  return f64x2.replace_lane(v128.load64_splat(table), 1, load<f64>(table + step));
}

/** Stores what two neighbours become, each four numbers: `step` bytes apart, or all of one and then of the other. */
function store(to: usize, step: usize, x0: v128, x1: v128, x2: v128, x3: v128): void {
  if (step === 8) {
    v128.store(to, v128.shuffle<u64>(x0, x1, 0, 2));
    v128.store(to + 16, v128.shuffle<u64>(x2, x3, 0, 2));
    v128.store(to + 32, v128.shuffle<u64>(x0, x1, 1, 3));
    v128.store(to + 48, v128.shuffle<u64>(x2, x3, 1, 3));
  } else {
    v128.store(to, x0);
    v128.store(to + step, x1);
    v128.store(to + 2 * step, x2);
    v128.store(to + 3 * step, x3);
  }
}

/**
 * A pass of radix 4 over `stride` interleaved transforms of `n` numbers. As many neighbours have the same factors; in the
 * first pass, over one transform, they have factors of their own.
 */
function pass4(
  n: usize,
  stride: usize,
  xr: usize,
  xi: usize,
  yr: usize,
  yi: usize,
  cosine: usize,
  sine: usize,
): void {
  const step = stride << 3;
  const apart = (n >> 2) * step;
  const between: usize = stride === 1 ? 8 : 0;
  const alike: usize = stride === 1 ? 16 : step;
  for (let first: usize = 0; first < apart; first += alike) {
    const w1r = factors(cosine + first, between);
    const w1i = factors(sine + first, between);
    const w2r = factors(cosine + 2 * first, 2 * between);
    const w2i = factors(sine + 2 * first, 2 * between);
    const w3r = factors(cosine + 3 * first, 3 * between);
    const w3i = factors(sine + 3 * first, 3 * between);
    for (let a = first, y = 4 * first; a < first + alike; a += 16, y += 16) {
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
      const r0 = f64x2.add(acr, bdr);
      const i0 = f64x2.add(aci, bdi);
      const s1 = real(w1r, w1i, r1, i1);
      const t1 = imaginary(w1r, w1i, r1, i1);
      const s2 = real(w2r, w2i, r2, i2);
      const t2 = imaginary(w2r, w2i, r2, i2);
      const s3 = real(w3r, w3i, r3, i3);
      const t3 = imaginary(w3r, w3i, r3, i3);
      store(yr + y, step, r0, s1, s2, s3);
      store(yi + y, step, i0, t1, t2, t3);
    }
  }
}

/** The last pass where the power is odd, of pairs, which needs no factors. */
function pass2(length: usize, xr: usize, xi: usize, yr: usize, yi: usize): void {
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
  let isThere = false;
  let stride: usize = 1;
  for (; length >= 4 * stride; stride *= 4) {
    if (isThere) pass4(length / stride, stride, otherRe, otherIm, re, im, cosine, sine);
    else pass4(length / stride, stride, re, im, otherRe, otherIm, cosine, sine);
    isThere = !isThere;
  }
  if (length === 2 * stride) {
    if (isThere) pass2(length, otherRe, otherIm, re, im);
    else pass2(length, re, im, re, im);
    isThere = false;
  }
  return isThere;
}
