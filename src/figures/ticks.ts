import { SIZE, textWidth } from "./typography.js";

/** The smallest of 1, 2, 5, 10, 20 ... that divides `span` into at most `most` parts. */
export function roundStep(span: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => span / step <= most + 1e-9)!;
}

/** Round numbers from at or below `low` to at or above `high`: zero and four or five more. */
export function coveringTicks(low: number, high: number): number[] {
  const step = roundStep(high - low || 1, 5);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Round numbers within [low, high]: at least two, and no more parts than `most` where that leaves two. */
export function ticksWithin(low: number, high: number, most: number): number[] {
  const step = roundStep(high - low, most);
  const first = Math.ceil(low / step - 1e-6);
  const last = Math.floor(high / step + 1e-6);
  if (last <= first) return ticksWithin(low, high, 2 * most);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Round numbers within [low, high] whose labels stand side by side along `length` pixels: up to seven, at least two. */
export function ticksFitting(low: number, high: number, length: number): number[] {
  for (let most = 6; ; most--) {
    const ticks = ticksWithin(low, high, most);
    const room = Math.max(...ticks.map((tick) => textWidth(tickLabels(ticks).format(tick), SIZE.tick))) + 9;
    if (most === 2 || room <= (length * (ticks[1] - ticks[0])) / (high - low)) return ticks;
  }
}

/** Whole round numbers from zero to at or above `largest`: up to five. */
export function countTicks(largest: number): number[] {
  const step = Math.max(1, roundStep(largest, 4));
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** Numbers from 0 to count - 1 along `length` pixels, thinned until a label has `room` and some air. */
export function idTicks(count: number, length: number, room: number): number[] {
  const spacing = length / count;
  const step =
    spacing >= room ? 1 : ([2, 5, 10, 20, 25, 50].find((every) => spacing * every >= 1.6 * room) ?? 100);
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/** The concentrations themselves where they are few, else powers of ten between them. Descending. */
export function alphaTicks(alphas: readonly number[]): number[] {
  if (alphas.length <= 5) return [...alphas];
  const [high, low] = [Math.floor(Math.log10(alphas[0])), Math.ceil(Math.log10(alphas.at(-1)!))];
  const step = Math.max(1, Math.ceil((high - low) / 5));
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => 10 ** (high - i * step));
}

/** Labels of evenly spaced ticks: as many decimals as the step needs, the same for all. */
export function decimals(ticks: readonly number[]): (tick: number) => string {
  const step = ticks[1] - ticks[0];
  const digits =
    [0, 1, 2, 3, 4, 5].find((count) => Math.abs(step - Number(step.toFixed(count))) < step * 1e-6) ?? 6;
  return (tick) => tick.toFixed(digits).replace("-", "−");
}

/** Labels of evenly spaced ticks of any size: a power of ten that they share goes into the axis' label. */
export function tickLabels(ticks: readonly number[]): { format: (tick: number) => string; factor: string } {
  const largest = Math.max(...ticks.map(Math.abs));
  const exponent = Math.floor(Math.log10(largest) + 1e-9);
  if (exponent > -3 && exponent < 5) return { format: decimals(ticks), factor: "" };
  const power = 10 ** exponent;
  const format = decimals(ticks.map((tick) => tick / power));
  return { format: (tick) => format(tick / power), factor: ` / 10^{${String(exponent).replace("-", "−")}}` };
}

/** Labels of a logarithmic axis, in one notation: 0.01, 1 and 100, but 10⁻⁴, 10⁰ and 10⁴ where it goes beyond those. */
export function powerLabels(ticks: readonly number[]): (tick: number) => string {
  const exponent = (tick: number) => Math.round(Math.log10(tick));
  const arePowers = ticks.every((tick) => Math.abs(tick / 10 ** exponent(tick) - 1) < 1e-9);
  if (!arePowers || ticks.every((tick) => Math.abs(exponent(tick)) <= 2)) return String;
  return (tick) => `10${raised(exponent(tick))}`;
}

/** A whole number as a superscript. */
export function raised(exponent: number): string {
  return String(exponent).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)]);
}

/** 800, 9999, but 12k. */
export function countLabel(count: number): string {
  return count >= 10_000 ? `${Math.round(count / 100) / 10}k` : String(count);
}

/** 1, 2, 5, 10, 20 ... within [low, high], both positive; powers of ten alone where those are many. */
export function logTicks(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first > 4 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return powers
    .flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)))
    .filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

/** Ticks of a decade, from many to few. */
const LADDERS = [[1, 3], [1]] as const;

/**
 * Zero and ±1, ±3, ±10 ... within [low, high] on a log(1 + |v|) axis, powers of ten alone where those would be less than
 * `apart` of its length apart. Both sides of zero have the same numbers as far as they reach.
 */
export function symlogTicks(low: number, high: number, apart = 0.09): number[] {
  const place = (value: number) => Math.sign(value) * Math.log1p(Math.abs(value));
  const gap = apart * (place(high) - place(low));
  const reach = Math.max(-low, high);
  const decades = Array.from({ length: Math.floor(Math.log10(Math.max(1, reach))) + 1 }, (_, i) => 10 ** i);
  const choices = LADDERS.map((factors) => {
    const steps = decades.flatMap((power) => factors.map((factor) => factor * power));
    return [...steps.map((step) => -step).reverse(), 0, ...steps].filter(
      (tick) => tick >= low && tick <= high,
    );
  });
  const fits = (ticks: readonly number[]) =>
    ticks.every((tick, i) => i === 0 || place(tick) - place(ticks[i - 1]) >= gap);
  return choices.find(fits) ?? choices.at(-1)!;
}
