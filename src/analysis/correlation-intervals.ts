import type { SeedRecord } from "../records/seed-record.js";
import { correlation, type Measurement, type SeedSummary, seedsOf } from "./observations.js";
import { standardDeviation } from "./statistics.js";
import { studentTQuantile } from "./student-t.js";

/** Seeds below which leaving one out says nothing of the spread. */
const FEWEST_SEEDS = 3;

/** Where Fisher's scale ends, so that a perfect correlation, which few runs can have, stays finite. */
const LARGEST = 1 - 1e-6;

/** A kind of correlation between two measurements. */
export interface Pairing {
  readonly kind: "pearson" | "spearman";
  readonly x: Measurement;
  readonly y: Measurement;
}

/**
 * A correlation over runs with a 95 % interval that counts seeds, not runs: runs of a seed share data, model and draw,
 * and are no independent observations. The jackknife leaves out one seed at a time (Tukey 1958), on Fisher's scale
 * z = artanh r, where correlations are nearly normal.
 */
export function correlationInterval(runs: readonly SeedRecord[], pairing: Pairing): SeedSummary | undefined {
  const found = fisherInterval(runs, pairing);
  if (!found) return undefined;
  const { mean, low, high } = found;
  return {
    ...found,
    mean: Math.tanh(mean),
    low: low === null ? null : Math.tanh(low),
    high: high === null ? null : Math.tanh(high),
  };
}

/** The same on Fisher's scale. */
export function fisherInterval(runs: readonly SeedRecord[], pairing: Pairing): SeedSummary | undefined {
  return jackknife(runs, (some) => fisher(some, pairing));
}

/** How much stronger a correlation is in one task than in another, on Fisher's scale; seeds are left out of both. */
export function taskContrast(
  stronger: readonly SeedRecord[],
  weaker: readonly SeedRecord[],
  pairing: Pairing,
): SeedSummary | undefined {
  const first = new Set(stronger);
  return jackknife([...stronger, ...weaker], (some) => {
    const of = (isFirst: boolean) =>
      fisher(
        some.filter((run) => first.has(run) === isFirst),
        pairing,
      );
    const [a, b] = [of(true), of(false)];
    return a === undefined || b === undefined ? undefined : a - b;
  });
}

/** How much stronger one correlation is than another over the same runs, on Fisher's scale, with its interval. */
export function correlationContrast(
  runs: readonly SeedRecord[],
  stronger: Pairing,
  weaker: Pairing,
): SeedSummary | undefined {
  return jackknife(runs, (some) => {
    const [a, b] = [fisher(some, stronger), fisher(some, weaker)];
    return a === undefined || b === undefined ? undefined : a - b;
  });
}

function fisher(runs: readonly SeedRecord[], { kind, x, y }: Pairing): number | undefined {
  const found = correlation(kind, runs, x, y)?.value;
  return found === undefined ? undefined : Math.atanh(Math.max(-LARGEST, Math.min(LARGEST, found)));
}

/** An estimate with the spread that it has when one seed after another is left out. */
export function jackknife(
  runs: readonly SeedRecord[],
  estimate: (runs: readonly SeedRecord[]) => number | undefined,
): SeedSummary | undefined {
  const mean = estimate(runs);
  if (mean === undefined) return undefined;
  const seeds = seedsOf(runs);
  const without = seeds.flatMap((seed) => estimate(runs.filter((run) => run.seed !== seed)) ?? []);
  const n = seeds.length;
  if (n < FEWEST_SEEDS || without.length < n) return { seeds: n, mean, sd: null, low: null, high: null };
  const error = ((n - 1) / Math.sqrt(n)) * standardDeviation(without);
  const half = error * studentTQuantile(0.975, n - 1);
  return { seeds: n, mean, sd: error * Math.sqrt(n), low: mean - half, high: mean + half };
}
