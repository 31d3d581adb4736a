/**
 * Student's t distribution, through the regularised incomplete beta function:
 * P(T > t) = I_x(df / 2, 1 / 2) / 2 with x = df / (df + t^2).
 */

/** The value that a t-distributed variable stays below with this probability, for any real df > 0. */
export function studentTQuantile(probability: number, df: number): number {
  if (!(df > 0) || !(probability >= 0 && probability <= 1)) return NaN;
  const wanted = Math.min(probability, 1 - probability);
  const sign = probability < 0.5 ? -1 : 1;
  if (wanted === 0) return sign * Infinity;
  if (wanted === 0.5) return 0;
  // Newton's method for log P(T > t) in log t: concave, and straight where the tail is a power law, so that the
  // iteration is right of the root after its first step and then falls towards it.
  let t = 1;
  for (let iteration = 0; iteration < 100; iteration++) {
    const { logSlope, ratio } = upperTail(t, df);
    const step = ratio * (logSlope + Math.log(ratio) - Math.log(wanted));
    t *= Math.exp(step);
    if (Math.abs(step) < 1e-10) break; // the convergence is quadratic
  }
  return sign * t;
}

/** The probability of a value up to t. */
export function studentTCumulative(t: number, df: number): number {
  if (t === 0) return 0.5;
  const { logSlope, ratio } = upperTail(Math.abs(t), df);
  const beyond = ratio * Math.exp(logSlope);
  return t < 0 ? beyond : 1 - beyond;
}

/**
 * P(T > t) for t > 0, as the ratio to its slope -dP / d log t = x^(df/2) (1 - x)^(1/2) / B(df/2, 1/2) and the
 * logarithm of that slope, which does not underflow.
 */
function upperTail(t: number, df: number): { readonly logSlope: number; readonly ratio: number } {
  const a = df / 2;
  const square = t * t;
  const logSlope =
    Math.log((gammaRatio(a) * t) / Math.sqrt(Math.PI * (df + square))) - a * Math.log1p(square / df);
  const x = df / (df + square);
  const ratio =
    x < (a + 1) / (a + 2.5)
      ? betaFraction(a, 0.5, x) / df
      : 0.5 / Math.exp(logSlope) - betaFraction(0.5, a, square / (df + square));
  return { logSlope, ratio };
}

/**
 * The continued fraction of the incomplete beta function, I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times this
 * (DLMF 8.17.22), by Lentz's method; fast for x < (a + 1) / (a + b + 2).
 */
function betaFraction(a: number, b: number, x: number): number {
  const away = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

/**
 * Gamma(x + 1/2) / Gamma(x): the recurrence up to x >= 50, there the asymptotic series, whose first omitted term
 * is then below 1e-17.
 */
function gammaRatio(x: number): number {
  let factor = 1;
  while (x < 50) {
    factor *= x / (x + 0.5);
    x += 1;
  }
  const y = 1 / (8 * x);
  const series = [-1, 1 / 2, 5 / 2, -21 / 8, -399 / 8, 869 / 16, 39325 / 16].reduceRight(
    (sum, c) => y * (c + sum),
    0,
  );
  return factor * Math.sqrt(x) * (1 + series);
}
