/**
 * The error function erf(x) to about 1e-15: its Maclaurin series with positive terms,
 * erf(x) = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!! (Abramowitz and Stegun 7.1.6).
 */
export function erf(x: number): number {
  if (!(Math.abs(x) < 6)) return Number.isNaN(x) ? NaN : Math.sign(x); // 1 - erf(6) = 2e-17
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
