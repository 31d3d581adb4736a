import type { SeedRecord } from "../records/seed-record.js";
import type { Tally } from "./claim.js";
import { alphasOf, type Measurement, type SeedSummary, type SideOfZero, sideOfZero } from "./observations.js";
import type { PaperExcess } from "./paper-values.js";
import { atAlpha, ofCommonSeeds } from "./seed-contrasts.js";
import { mean } from "./statistics.js";
import { fixed, intervalText } from "./table.js";

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

/** What the paper says of an excess error. */
export function paperWords({ mean, low, high, excludesZero: excludes }: PaperExcess): string {
  if (mean === undefined) return `an interval that ${excludes ? "excludes" : "includes"} zero`;
  if (low !== undefined && high !== undefined) return `${fixed(mean)} pp ${intervalText(low, high)}`;
  const verdict = excludes === undefined ? "" : `, ${excludes ? "excluding" : "including"} zero`;
  return `${fixed(mean)} pp${verdict}`;
}

/** "lies above zero", "includes zero", "lies below zero". */
export function sideWords(side: SideOfZero): string {
  return side === "includes" ? "includes zero" : `lies ${side} zero`;
}

/** How our excess error and the paper's go together, as far as both tell. */
export function agreementWords(ours: SeedSummary, paper: PaperExcess): string {
  const found: string[] = [];
  if (paper.mean !== undefined && ours.low !== null && ours.high !== null) {
    const covers = ours.low <= paper.mean && paper.mean <= ours.high;
    found.push(`our interval ${covers ? "covers" : "does not cover"} the paper's mean`);
  }
  const side = sideOfZero(ours);
  // Every interval of the paper that excludes zero lies above it.
  if (side !== undefined && paper.excludesZero !== undefined)
    found.push(
      `the verdict on zero is ${side === (paper.excludesZero ? "above" : "includes") ? "the same" : "another"}`,
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

/**
 * "71 of 98 claims hold, 12 do not hold, 10 are undecided and 5 are too wide to tell." A claim counts once for each task
 * or setting; simulated data apart.
 */
export function tallyWords({ leniently, simulated, byRepair, ...counts }: Tally): string {
  const all = sumOf(simulated);
  const absent = counts["not measured"];
  return [
    `Counted by task or setting, ${counts.holds} of ${sumOf(counts)} claims hold, ${restWords(counts)}` +
      `${absent > 0 ? `; ${absent} were not measured` : ""}.`,
    ...(leniently > 0
      ? [
          `Of those that hold, ${leniently} say that a number is the paper's or zero, and hold as nothing contradicts them.`,
        ]
      : []),
    ...(all > 0
      ? [
          `Apart from these, ${all} are on public tasks, which are simulated here: ${simulated.holds} hold, ` +
            `${restWords(simulated)}. They can neither confirm nor refute the paper, which took published data.`,
        ]
      : []),
    ...(byRepair > 0
      ? [
          `Of all that do not hold, ${byRepair} hang on the rule by which too small clients were repaired, \`closest\`: it is ` +
            'ours, since the paper names none (Algorithm 1). They are marked "(repair)".',
        ]
      : []),
  ].join(" ");
}

type Counts = Tally["simulated"];

const sumOf = (counts: Counts): number =>
  counts.holds + counts["does not hold"] + counts.undecided + counts["too wide to tell"];

function restWords(counts: Counts): string {
  return (
    `${counts["does not hold"]} do not hold, ${counts.undecided} are undecided and ` +
    `${counts["too wide to tell"]} are too wide to tell`
  );
}
