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

/**
 * Rule `size`: the paper's mean, or a range of its means, is met by the 95 % prediction interval for the mean of as many
 * further seeds as the paper has. The paper's mean varies as ours does, which our interval alone would not allow for.
 */
export function sameSize({ mean, sd, seeds }: SeedSummary, low: number, high = low): Verdict {
  if (sd === null) return "undecided";
  const error = sd * Math.sqrt(1 / seeds + 1 / PAPER_SEEDS.length);
  const half = error * studentTQuantile(0.975, seeds - 1);
  return mean - half <= high && low <= mean + half ? "holds" : "does not hold";
}

/** Rule `trend`. */
export function ascends({ change, steps }: Ascent): Verdict {
  const whole = positive(change);
  if (whole === "does not hold" || steps.some((step) => sideOfZero(step) === "below")) return "does not hold";
  return whole === "holds" && steps.every(({ mean }) => mean > 0) ? "holds" : "undecided";
}
