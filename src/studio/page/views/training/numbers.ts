/** A relative error in percent with three digits: `8.13 %`. */
export const percent = (error: number): string =>
  Number.isFinite(error) ? `${significant(100 * error, 3)} %` : "–";

/** A number with some significant digits, in powers of ten where it is far from one: `3.4 · 10⁻⁵`. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) {
    const decimals = Math.max(0, digits - 1 - exponent);
    return value.toFixed(Math.min(decimals, 8)).replace("-", "−");
  }
  const [mantissa, power] = value
    .toExponential(digits - 1)
    .replace(/-/g, "−")
    .split("e");
  return `${mantissa} · 10^{${power.replace("+", "")}}`;
}

/** A time that is known well or roughly: `12 ms`, `1.4 s`, `2 min`. */
export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return "–";
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** The same with one digit, for an estimate: `about 20 ms`. */
export function roughly(milliseconds: number): string {
  const power = 10 ** Math.floor(Math.log10(milliseconds));
  return `≈ ${duration(power * Math.round(milliseconds / power))}`;
}
