/**
 * Exponential and logarithm from additions, multiplications and divisions alone.
 * `Math.exp` and `Math.log` may round differently from one JavaScript engine to the next; these give the same
 * bits everywhere, which is what makes a partition reproducible. Accurate to about one unit in the last place.
 */

const LN2_HIGH = 0.6931471803691238; // ln 2 with the last 21 bits of its significand cleared
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2 = Math.LOG2E;

const bits = new DataView(new ArrayBuffer(8));

/** Natural logarithm; -Infinity at 0, NaN below. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return Infinity;
  let exponent = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984; // 2^54: lift a subnormal into the normal range
    exponent = -54;
  }
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  exponent += (high >>> 20) - 1023;
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > Math.SQRT2) {
    m /= 2;
    exponent += 1;
  }
  // log m = 2 atanh(s), |s| <= 0.1716: 12 terms of the odd series leave less than 1e-18.
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let series = 0;
  for (let n = 23; n >= 3; n -= 2) series = z * (1 / n + series);
  return exponent * LN2_HIGH + (2 * s + (2 * s * series + exponent * LN2_LOW));
}

/** Exponential; 0 below about -745, Infinity above about 709.78. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > 709.782712893384) return Infinity;
  if (x < -745.1332191019412) return 0;
  const k = Math.round(x * INVERSE_LN2);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  // |r| <= 0.347: the Taylor series to degree 14 leaves less than 1e-18.
  let sum = 1;
  for (let n = 14; n >= 1; n--) sum = 1 + (r / n) * sum;
  const half = k >> 1; // two steps, so that neither power of two leaves the range of normal numbers
  return sum * powerOfTwo(half) * powerOfTwo(k - half);
}

function powerOfTwo(k: number): number {
  bits.setUint32(0, (k + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}
