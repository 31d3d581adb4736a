import { type SeedSummary, sideOfZero } from "../../analysis/observations.js";
import type { Ascent } from "../../analysis/seed-contrasts.js";
import { studentTQuantile } from "../../analysis/student-t.js";
import { PAPER_SEEDS } from "../values.js";
import type { Verdict } from "./claim.js";

/** Whether an interval covers a number and its opposite, and would contradict neither. */
function coversBoth(low: number, high: number, value: number | undefined): boolean {
  const size = Math.abs(value ?? 0);
  return size > 0 && low <= -size && size <= high;
}

/**
 * Rules `sign`, `correlation`, `contrast` and `least`: the claim is that something is positive. `value` is the paper's
 * number, where it states one.
 */
export function positive(summary: SeedSummary, value?: number): Verdict {
  const side = sideOfZero(summary);
  if (side === "above") return "holds";
  if (side === "below") return "does not hold";
  return side && coversBoth(summary.low!, summary.high!, value) ? "too wide to tell" : "undecided";
}

/** Rules `zero` and `alike`: the claim is that an interval includes zero. `value` is what would be too far from it. */
export function unresolved(summary: SeedSummary, value?: number): Verdict {
  const side = sideOfZero(summary);
  if (side === undefined) return "undecided";
  if (side !== "includes") return "does not hold";
  return coversBoth(summary.low!, summary.high!, value) ? "too wide to tell" : "holds";
}

/** A mean of the paper over its seeds, or the range of several. */
export interface PaperMean {
  readonly low: number;
  readonly high?: number;
  /** Half of its 95 % interval, where the paper states one. */
  readonly half?: number;
}

/**
 * Rule `size`: ours and the paper's mean, or the nearest of a range, differ by no more than both vary. Where the paper
 * states an interval that is Welch's test; else its mean varies as ours does, which is a prediction interval for the mean
 * of as many further seeds as it has.
 */
export function sameSize(summary: SeedSummary, { low, high = low, half }: PaperMean): Verdict {
  const { mean, sd, seeds } = summary;
  if (sd === null) return "undecided";
  const theirs = PAPER_SEEDS.length;
  const own = sd ** 2 / seeds;
  const other = half === undefined ? sd ** 2 / theirs : (half / studentTQuantile(0.975, theirs - 1)) ** 2;
  const df =
    half === undefined || own + other === 0
      ? seeds - 1
      : (own + other) ** 2 / (own ** 2 / (seeds - 1) + other ** 2 / (theirs - 1));
  const reach = studentTQuantile(0.975, df) * Math.sqrt(own + other);
  if (mean - reach > high || low > mean + reach) return "does not hold";
  return coversBoth(summary.low!, summary.high!, nearestZero(low, high)) ? "too wide to tell" : "holds";
}

/** Rule `strength`: as `size`, but undecided where our own interval misses the paper's number. */
export function sameStrength(summary: SeedSummary, paper: PaperMean): Verdict {
  const { low, high = low } = paper;
  const verdict = sameSize(summary, paper);
  const misses = summary.low === null || summary.low > high || summary.high! < low;
  return verdict !== "does not hold" && misses ? "undecided" : verdict;
}

/** The number of a range that is closest to zero. */
function nearestZero(low: number, high: number): number {
  return low > 0 ? low : high < 0 ? high : 0;
}

/** Rule `trend`. */
export function ascends({ change, steps }: Ascent): Verdict {
  const whole = positive(change);
  if (whole === "does not hold" || steps.some((step) => sideOfZero(step) === "below")) return "does not hold";
  return whole === "holds" && steps.every(({ mean }) => mean > 0) ? "holds" : "undecided";
}
