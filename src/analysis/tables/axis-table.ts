import type { Axis, Comparison } from "../axes.js";
import { alphasOf, haveReference, overSeeds, referenceWords, roundWords } from "../observations.js";
import { type Cell, ESTIMATE_PARTS, estimateCell, meanCell, type Table, textCell } from "./table.js";

const SPREAD_PARTS = ["", "_sd"];

/** What a study varies, level by level at every concentration: errors, and what heterogeneity did to get there. */
export function axisTable(axis: Axis): Table {
  const { comparisons } = axis;
  const records = comparisons.flatMap(({ levels }) => levels.flatMap(({ of }) => of.records));
  const isCompared = haveReference(records);
  const isOne = comparisons.length === 1 || axis.name === "data";
  return {
    name: `compare-${axis.name}`,
    title: `Comparison: ${axis.title.toLowerCase()}`,
    caption:
      `Results after ${roundWords(records)}, for every ${axis.title.toLowerCase()}: means over seeds, sample standard deviations ` +
      "in parentheses, 95 % Student-t intervals in brackets. The relative test error is in per cent" +
      (isCompared
        ? `, the excess over the run with the same seed and ${referenceWords(records)} in percentage points; excesses whose ` +
          "interval excludes zero are bold."
        : ".") +
      leftWords(axis),
    columns: [
      ...(isOne ? [] : [{ heading: "For", csv: ["comparison"], align: "left" as const }]),
      { heading: axis.title, csv: ["level"], align: "left" },
      { heading: "α", csv: ["alpha"] },
      { heading: "Test error (%)", csv: ESTIMATE_PARTS.map((part) => `test_error_percent${part}`) },
      ...(isCompared
        ? [{ heading: "Excess (pp)", csv: ESTIMATE_PARTS.map((part) => `excess_error${part}`) }]
        : []),
      { heading: "D_sol", csv: SPREAD_PARTS.map((part) => `d_sol${part}`) },
      { heading: "H_g^norm", csv: SPREAD_PARTS.map((part) => `h_g_norm${part}`) },
      ...(isCompared ? [{ heading: "D_θ", csv: SPREAD_PARTS.map((part) => `d_theta${part}`) }] : []),
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: comparisons.flatMap((comparison) => levelRows(comparison, { isOne, isCompared })),
  };
}

/** What of an axis is not shown, where it has more than a page takes. */
export function leftWords({ left }: Axis): string {
  return left === 0 ? "" : ` ${left} more ${left === 1 ? "level is" : "levels are"} left out.`;
}

function levelRows(
  { title, levels }: Comparison,
  { isOne, isCompared }: { readonly isOne: boolean; readonly isCompared: boolean },
): Cell[][][] {
  return levels.map(({ label, of: { final, referenceAlpha } }) =>
    alphasOf(final).map((alpha, i) => {
      // A level is named in its first row; the others belong to it.
      const once = (words: string): Cell => (i === 0 ? textCell(words) : { ...textCell(words), text: "" });
      const error = overSeeds(final, alpha, "test_error", 100);
      const isReference = alpha === referenceAlpha;
      const mean = (name: "d_sol" | "h_g_norm" | "d_theta") => meanCell(overSeeds(final, alpha, name));
      return [
        ...(isOne ? [] : [once(title)]),
        once(label),
        { text: String(alpha), values: [alpha] },
        // An error is never zero: that its interval excludes zero says nothing.
        { ...estimateCell(error), strong: false },
        ...(isCompared
          ? [estimateCell(isReference ? undefined : overSeeds(final, alpha, "excess_error"))]
          : []),
        mean("d_sol"),
        mean("h_g_norm"),
        ...(isCompared ? [isReference ? meanCell(undefined) : mean("d_theta")] : []),
        textCell(String(error?.seeds ?? 0)),
      ];
    }),
  );
}
