import { logTicks, roundStep, ticksWithin } from "../../../../../figures/ticks.js";

/**
 * The horizontal axis grows by steps, 20, 50, 100 rounds: curves do not shrink at every frame. It ends with the last round
 * that is planned.
 */
export function roundsShown(rounds: number, planned = Number.POSITIVE_INFINITY): number {
  for (let power = 10; ; power *= 10)
    for (const factor of [2, 5, 10])
      if (rounds <= factor * power) return Math.max(rounds, Math.min(planned, factor * power));
}

/** How far below its largest value a logarithmic axis goes. */
const DEPTH = 1e-4;

/** What the vertical axis spans: from one of 1, 2, 5, 10 ... to another one, or from zero. */
export function valuesShown(low: number, high: number, isLogarithmic: boolean): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return isLogarithmic ? [0.01, 1] : [0, 1];
  if (!isLogarithmic) {
    const step = roundStep(high || 1, 4);
    return [0, step * Math.max(1, Math.ceil(high / step - 1e-9))];
  }
  const [from, to] = [rung(Math.max(low, DEPTH * high), -1), rung(high, 1)];
  return from < to ? [from, to] : [rung(low / 1.5, -1), rung(high * 1.5, 1)];
}

/** The next of 1, 2, 5, 10 ... below or above a value, or the value itself. */
function rung(value: number, direction: 1 | -1): number {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const rungs = [1, 2, 5, 10].map((factor) => factor * power);
  const beyond = direction > 0 ? rungs : rungs.reverse();
  return beyond.find((one) => direction * (one - value) >= -1e-9 * value) ?? value;
}

/** Round numbers on the vertical axis. */
export function valueTicks(low: number, high: number, isLogarithmic: boolean): number[] {
  if (isLogarithmic) {
    const ticks = logTicks(low, high);
    // Within a factor of two or three there are too few powers.
    return ticks.length >= 3 ? ticks : ticksWithin(low, high, 5);
  }
  const step = roundStep(high, 4);
  return Array.from({ length: Math.round(high / step) + 1 }, (_, i) => i * step);
}
