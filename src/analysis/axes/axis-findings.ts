import { alphasOf, type Measurement, sideOfZero } from "../observations.js";
import { estimateText, list, seedWords, sideWords } from "../phrases.js";
import { atAlpha, type BySeed, meanOf, ofCommonSeeds, pairedChange } from "../seed-contrasts.js";
import { fixed } from "../tables/table.js";
import type { Axis, Comparison, Level } from "./axes.js";
import { firstLabel } from "./axis-contrasts.js";

/** What is compared: the excess over the reference, and the error itself. */
const COMPARED = [
  { measurement: "excess_error", words: "excess error", unit: "pp", scale: 1 },
  { measurement: "test_error", words: "test error", unit: "%", scale: 100 },
] as const satisfies readonly {
  readonly measurement: Measurement;
  readonly words: string;
  readonly unit: string;
  readonly scale: number;
}[];

/**
 * How levels of an axis differ at the smallest concentration that all of them have, paired by seed: a sentence for every
 * comparison and measurement.
 */
export function axisFindings(axis: Axis): string[] {
  return axis.comparisons.flatMap((comparison) =>
    COMPARED.flatMap((compared) => comparisonSentence(axis, comparison, compared)),
  );
}

/**
 * An axis in one sentence: in how many comparisons the interval of the paired difference excludes zero. Undefined where
 * no comparison has an interval.
 */
export function axisSummary(axis: Axis): string | undefined {
  const alphas = new Set<number>();
  const parts = COMPARED.flatMap(({ measurement, words }) => {
    const sides = axis.comparisons.flatMap((comparison) => {
      const { alpha, values } = pairedLevels(comparison, measurement, 1) ?? {};
      if (alpha === undefined || !values) return [];
      alphas.add(alpha);
      return values.slice(1).flatMap((after) => sideOfZero(pairedChange(values[0], after)) ?? []);
    });
    if (sides.length === 0) return [];
    const apart = sides.filter((side) => side !== "includes").length;
    return [`in ${words} for ${apart === 0 ? "none" : apart} of ${sides.length}`];
  });
  if (parts.length === 0) return undefined;
  return (
    `${axis.title}: at α = ${[...alphas].join(" or ")}, the 95 % interval of the difference from ${firstLabel(axis) ?? "the first level"}, paired ` +
    `by seed, excludes zero ${list(parts)} comparisons.${lowestWords(axis)}`
  );
}

/** " The lowest mean test error there is 3.21 %, with SCAFFOLD." of one comparison of names. */
function lowestWords({ comparisons, isNumeric, name }: Axis): string {
  const [comparison, ...others] = comparisons;
  if (isNumeric || name === "data" || others.length > 0) return "";
  const { levels, values } = pairedLevels(comparison, "test_error", 100) ?? { levels: [], values: [] };
  const means = values.map((own) => meanOf(own)!.mean);
  const lowest = Math.min(...means);
  const best = levels.filter((_, i) => means[i] - lowest < TIED).map(({ label }) => label);
  return best.length === 0 || best.length === levels.length
    ? ""
    : ` The lowest mean test error there is ${fixed(lowest, 2)} %, with ${list(best)}.`;
}

/** Errors in per cent that are closer than this are those of the same runs but for round-off. */
const TIED = 5e-4;

/** What levels have at the smallest concentration that they share, over the seeds that all of them have. */
function pairedLevels({ levels }: Comparison, measurement: Measurement, scale: number) {
  const having = levels.filter(({ of }) => of.final.some((row) => Number.isFinite(row[measurement])));
  const alpha = smallestCommon(having);
  if (having.length < 2 || alpha === undefined) return undefined;
  const all = having.map(({ of }) => atAlpha(of.final, alpha, measurement, scale));
  const values = ofCommonSeeds(all);
  return values[0].size === 0 ? undefined : { alpha, levels: having, all, values };
}

function comparisonSentence(
  axis: Axis,
  comparison: Comparison,
  { measurement, words, unit, scale }: (typeof COMPARED)[number],
): string[] {
  const paired = pairedLevels(comparison, measurement, scale);
  if (!paired) return [];
  const { alpha, levels, all, values } = paired;
  const { title } = comparison;
  const seeds = values[0].size;
  const means = values.map(meanOf);
  const [first, ...others] = levels;
  const stated = levels.map(({ label }, i) => `${estimateText(means[i]!, 3, unit)} (${label})`);
  const where = axis.name === "data" && title === "Data" ? "" : `${title}, `;
  const over = seeds === all[0].size ? seedWords(seeds) : `the ${seedWords(seeds)} that all of them have`;
  if (others.length > MOST_SINGLE)
    return [
      `${where}α = ${alpha}: the ${words} is ${stated[0]}. ${groupedWords(values, others, first.label, over)}`,
    ];
  const changes = others.map(({ label }, i) => changeWords(values[0], values[i + 1], label));
  return [
    `${where}α = ${alpha}: the ${words} is ${stated.join(", ")}. Against ${first.label}, paired over ${over}, ` +
      `it changes by ${changes.join("; ")}.`,
  ];
}

/** Levels beyond these are told by where their interval lies. */
const MOST_SINGLE = 5;

/** Where the intervals of many levels lie, with the mean difference of each. */
function groupedWords(
  values: readonly BySeed[],
  others: readonly Level[],
  first: string,
  over: string,
): string {
  const changes = others.map(({ label }, i) => {
    const change = pairedChange(values[0], values[i + 1])!;
    const mean = Math.abs(change.mean) < TIED ? 0 : change.mean;
    return { side: sideOfZero(change), text: `${label} (${mean > 0 ? "+" : ""}${fixed(mean)} pp)` };
  });
  const parts = (["below", "above", "includes"] as const).flatMap((side) => {
    const own = changes.filter((change) => change.side === side).map(({ text }) => text);
    return own.length === 0 ? [] : [`${sideWords(side)} with ${list(own)}`];
  });
  if (parts.length === 0)
    return `The difference from ${first}, of ${over}, is ${list(changes.map(({ text }) => text))}.`;
  return `The 95 % interval of the difference from ${first}, paired over ${over}, ${parts.join("; it ")}.`;
}

/** "0.21 pp [0.05, 0.37] with model width 32, whose interval lies above zero". */
function changeWords(before: BySeed, after: BySeed, label: string): string {
  const change = pairedChange(before, after)!;
  const side = sideOfZero(change);
  const verdict =
    side === undefined ? "one seed, so without an interval" : `the 95 % interval ${sideWords(side)}`;
  return `${estimateText(change, 3, "pp")} with ${label} (${verdict})`;
}

function smallestCommon(levels: readonly Level[]): number | undefined {
  const [first, ...others] = levels.map(({ of }) =>
    alphasOf(of.final.filter(({ alpha }) => alpha !== of.referenceAlpha)),
  );
  return first?.filter((alpha) => others.every((alphas) => alphas.includes(alpha))).at(-1);
}
