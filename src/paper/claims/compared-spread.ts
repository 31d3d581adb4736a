import type { BySeed } from "../../analysis/seed-contrasts.js";
import { pearson, standardDeviation } from "../../analysis/statistics.js";
import { studentTQuantile } from "../../analysis/student-t.js";
import type { Verdict } from "./claim.js";

/** Seeds below which the test has no degree of freedom. */
const FEWEST_SEEDS = 3;

/** Two standard deviations over the same seeds, and whether the first is the larger one. */
export interface ComparedSpread {
  readonly first: number;
  readonly second: number;
  readonly verdict: Verdict;
}

/**
 * Rule `spread`: Pitman and Morgan's test of two variances of paired values (1939). They are equal where sums and
 * differences of the pairs do not correlate.
 */
export function comparedSpread(a: BySeed, b: BySeed): ComparedSpread | undefined {
  const seeds = [...a.keys()].filter((seed) => b.has(seed));
  if (seeds.length < FEWEST_SEEDS) return undefined;
  const [x, y] = [a, b].map((values) => seeds.map((seed) => values.get(seed)!));
  const correlation = pearson(
    x.map((value, i) => value + y[i]),
    x.map((value, i) => value - y[i]),
  );
  const df = seeds.length - 2;
  const t = correlation * Math.sqrt(df / (1 - Math.min(1, correlation ** 2)));
  const limit = studentTQuantile(0.975, df);
  return {
    first: standardDeviation(x),
    second: standardDeviation(y),
    verdict: t > limit ? "holds" : t < -limit ? "does not hold" : "undecided",
  };
}
