import type { Axis, Comparison } from "../axes/axes.js";
import {
  alphasOfComparison,
  type ComparedError,
  differenceFromFirst,
  firstLabel,
  firstOf,
  levelsOf,
} from "../axes/axis-contrasts.js";
import { alphasOf, overSeeds, roundWords } from "../observations.js";
import { leftWords } from "./axis-table.js";
import {
  type Cell,
  differenceCell,
  ESTIMATE_PARTS,
  estimateCell,
  meanCell,
  NOTHING,
  type Table,
  textCell,
} from "./table.js";

/** Errors of the first level of an axis, and how the others differ from it at every concentration, paired by seed. */
export function differenceTable(axis: Axis, error: ComparedError): Table {
  const alphas = alphasOf(levelsOf(axis).flatMap(({ of }) => of.final));
  const records = levelsOf(axis).flatMap(({ of }) => of.records);
  const { comparisons } = axis;
  const isOne = comparisons.length === 1 || axis.name === "data";
  const from = firstLabel(axis) ?? "the first level";
  const { words, suffix } = error;
  return {
    name: `difference-${axis.name}${suffix}`,
    title: `Difference from ${from}: ${words}`,
    caption:
      `In the first row the ${words} of ${from} in per cent after ${roundWords(records)}, with its standard deviation over seeds in ` +
      `parentheses; then how every other ${axis.title.toLowerCase()} differs from it, in percentage points: mean over seeds, paired ` +
      "by seed, with the sample standard deviation in parentheses and the 95 % Student-t interval in brackets. Negative values are " +
      `improvements; differences whose interval excludes zero are bold.${leftWords(axis)}`,
    columns: [
      ...(isOne ? [] : [{ heading: "For", csv: ["comparison"], align: "left" as const }]),
      { heading: axis.title, csv: ["level"], align: "left" },
      ...alphas.map((alpha) => ({
        heading: `α = ${alpha}`,
        csv: ESTIMATE_PARTS.map((part) => `alpha_${alpha}${part}`),
      })),
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: comparisons.map((comparison) => rowsOf(comparison, alphas, { isOne, error })),
  };
}

function rowsOf(
  comparison: Comparison,
  alphas: readonly number[],
  { isOne, error: { measurement } }: { readonly isOne: boolean; readonly error: ComparedError },
): Cell[][] {
  const first = firstOf(comparison);
  const own = alphasOfComparison(comparison);
  return comparison.levels.map((level, i) => {
    const summaries = alphas.map((alpha) =>
      level === first
        ? overSeeds(first.of.final, alpha, measurement, 100)
        : differenceFromFirst(level, first, alpha, measurement),
    );
    const cells = summaries.map((summary, at) => {
      if (!own.includes(alphas[at])) return estimateCell(undefined);
      if (level !== first) return differenceCell(summary);
      // Of the first level the error itself, whose interval says nothing of zero.
      return { ...estimateCell(summary), text: meanCell(summary).text, strong: false };
    });
    const seeds = summaries.flatMap((summary) => summary?.seeds ?? []);
    const count = seeds.length === 0 ? NOTHING : [...new Set(seeds)].sort((a, b) => a - b).join(", ");
    const title: Cell = { ...textCell(comparison.title), ...(i > 0 && { text: "" }) };
    return [...(isOne ? [] : [title]), textCell(level.label), ...cells, textCell(count)];
  });
}
