/** A fraction in per cent: `1.234 %`, and `4.8e+18 %` where digits before the point would say nothing. */
export function percent(fraction: number, digits: number): string {
  const value = 100 * fraction;
  return `${Math.abs(value) < 1e6 ? value.toFixed(digits) : value.toExponential(1)} %`;
}
