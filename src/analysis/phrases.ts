import type { SeedRecord } from "../records/seed-record.js";
import { alphasOf, type Measurement, type SeedSummary, type SideOfZero, sideOfZero } from "./observations.js";
import type { StatedExcess } from "./published.js";
import { atAlpha, ofCommonSeeds } from "./seed-contrasts.js";
import { mean } from "./statistics.js";
import { fixed, intervalText } from "./tables/table.js";

/** "a", "a and b", "a, b and c". */
export function list(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** How many seeds stand behind a statement. */
export function seedWords(seeds: number): string {
  const names = ["no seed", "one seed", "two seeds", "three seeds", "four seeds", "five seeds"];
  return names[seeds] ?? `${seeds} seeds`;
}

/** Mean and interval in percentage points. */
export function estimateWords({ mean, low, high }: SeedSummary): string {
  const interval = low === null || high === null ? "one seed, no interval" : intervalText(low, high);
  return `${fixed(mean)} pp ${interval.startsWith("[") ? interval : `(${interval})`}`;
}

/** "0.612 [−0.029, 1.253] pp". */
export function estimateText({ mean, low, high }: SeedSummary, digits = 3, unit = ""): string {
  const interval = low === null || high === null ? "" : ` [${fixed(low, digits)}, ${fixed(high, digits)}]`;
  return `${fixed(mean, digits)}${interval}${unit && ` ${unit}`}`;
}

/** The same of a change, whose sign is always told. */
export function changeText(change: SeedSummary, digits = 3, unit = ""): string {
  return `${change.mean > 0 ? "+" : ""}${estimateText(change, digits, unit)}`;
}

/** What a publication says of an excess error. */
export function statedWords({ mean, low, high, excludesZero: excludes }: StatedExcess): string {
  if (mean === undefined) return `an interval that ${excludes ? "excludes" : "includes"} zero`;
  if (low !== undefined && high !== undefined) return `${fixed(mean)} pp ${intervalText(low, high)}`;
  const verdict = excludes === undefined ? "" : `, ${excludes ? "excluding" : "including"} zero`;
  return `${fixed(mean)} pp${verdict}`;
}

/** "lies above zero", "includes zero", "lies below zero". */
export function sideWords(side: SideOfZero): string {
  return side === "includes" ? "includes zero" : `lies ${side} zero`;
}

/** How our excess error and a published one go together, as far as both tell. */
export function agreementWords(ours: SeedSummary, stated: StatedExcess, source: string): string {
  const found: string[] = [];
  if (stated.mean !== undefined && ours.low !== null && ours.high !== null) {
    const covers = ours.low <= stated.mean && stated.mean <= ours.high;
    found.push(`our interval ${covers ? "covers" : "does not cover"} the ${source}'s mean`);
  }
  const side = sideOfZero(ours);
  // Every published interval that excludes zero lies above it.
  if (side !== undefined && stated.excludesZero !== undefined)
    found.push(
      `the verdict on zero is ${side === (stated.excludesZero ? "above" : "includes") ? "the same" : "another"}`,
    );
  return found.join(" and ");
}

/** How a mean over seeds changes as alpha falls, over the seeds that all concentrations have. */
export interface Trend {
  readonly seeds: number;
  /** Seeds that some concentration lacks. */
  readonly unpaired: number;
  readonly alphas: readonly number[];
  readonly means: readonly number[];
  /** Steps from one concentration to the next smaller at which the mean does not rise. */
  readonly breaks: readonly (readonly [number, number])[];
}

/** The trend of a measurement over the concentrations that have it; undefined for fewer than two, or without a seed in common. */
export function trend(runs: readonly SeedRecord[], measurement: Measurement): Trend | undefined {
  const measured = alphasOf(runs)
    .map((alpha) => ({ alpha, values: atAlpha(runs, alpha, measurement) }))
    .filter(({ values }) => values.size > 0);
  const paired = ofCommonSeeds(measured.map(({ values }) => values));
  const seeds = paired[0]?.size ?? 0;
  if (measured.length < 2 || seeds === 0) return undefined;
  const points = measured.map(({ alpha }, i) => ({ alpha, mean: mean([...paired[i].values()]) }));
  const all = new Set(measured.flatMap(({ values }) => [...values.keys()]));
  const breaks = points.flatMap(({ alpha, mean }, i) =>
    i > 0 && mean <= points[i - 1].mean ? [[points[i - 1].alpha, alpha] as const] : [],
  );
  return {
    seeds,
    unpaired: all.size - seeds,
    alphas: points.map(({ alpha }) => alpha),
    means: points.map(({ mean }) => mean),
    breaks,
  };
}

/** ", over the one seed that all of them have" where others lack some concentration; nothing where all have all. */
export function pairedWords({
  seeds,
  unpaired,
}: {
  readonly seeds: number;
  readonly unpaired: number;
}): string {
  return unpaired === 0 ? "" : `, over the ${seedWords(seeds)} that all of them have`;
}

/** "rises with every step from α = 100 (0.158) to α = 0.01 (1.053)", or where it does not. */
export function trendWords({ alphas, means, breaks, ...paired }: Trend): string {
  const ends =
    `from α = ${alphas[0]} (${fixed(means[0])}) to α = ${alphas.at(-1)} (${fixed(means.at(-1)!)})` +
    pairedWords(paired);
  if (breaks.length === 0) return `rises with every step ${ends}`;
  const steps = breaks.map(([from, to]) => `from α = ${from} to α = ${to}`);
  return `does not rise with every step ${ends}: not ${list(steps)}`;
}
