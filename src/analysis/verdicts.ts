import type { Verdict } from "./claim.js";
import { type SeedSummary, sideOfZero } from "./observations.js";
import { PAPER_SEEDS } from "./paper-values.js";
import type { Ascent } from "./seed-contrasts.js";
import { studentTQuantile } from "./student-t.js";

/** Rules `sign`, `correlation` and `contrast`: the claim is that something is positive. */
export function positive(summary: SeedSummary): Verdict {
  const side = sideOfZero(summary);
  return side === "above" ? "holds" : side === "below" ? "does not hold" : "undecided";
}

/** Rules `zero` and `alike`: the claim is that an interval includes zero. */
export function unresolved(summary: SeedSummary): Verdict {
  const side = sideOfZero(summary);
  return side === undefined ? "undecided" : side === "includes" ? "holds" : "does not hold";
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
export function sameSize({ mean, sd, seeds }: SeedSummary, { low, high = low, half }: PaperMean): Verdict {
  if (sd === null) return "undecided";
  const theirs = PAPER_SEEDS.length;
  const own = sd ** 2 / seeds;
  const other = half === undefined ? sd ** 2 / theirs : (half / studentTQuantile(0.975, theirs - 1)) ** 2;
  const df =
    half === undefined || own + other === 0
      ? seeds - 1
      : (own + other) ** 2 / (own ** 2 / (seeds - 1) + other ** 2 / (theirs - 1));
  const reach = studentTQuantile(0.975, df) * Math.sqrt(own + other);
  return mean - reach <= high && low <= mean + reach ? "holds" : "does not hold";
}

/** Rule `trend`. */
export function ascends({ change, steps }: Ascent): Verdict {
  const whole = positive(change);
  if (whole === "does not hold" || steps.some((step) => sideOfZero(step) === "below")) return "does not hold";
  return whole === "holds" && steps.every(({ mean }) => mean > 0) ? "holds" : "undecided";
}
