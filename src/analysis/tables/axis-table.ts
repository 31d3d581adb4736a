import type { Axis, Comparison } from "../axes/axes.js";
import { differenceFromFirst, firstLabel, firstOf, hasColumn } from "../axes/axis-contrasts.js";
import { alphasOf, haveReference, overSeeds, referenceWords, roundWords } from "../observations.js";
import {
  type Cell,
  differenceCell,
  ESTIMATE_PARTS,
  estimateCell,
  meanCell,
  numberCell,
  type Table,
  textCell,
} from "./table.js";

const SPREAD_PARTS = ["", "_sd"];

/**
 * What a study varies, level by level at every concentration: errors, how they differ from the first level, and what
 * heterogeneity did to get there. Columns that no record has, or that all levels share, are left out.
 */
export function axisTable(axis: Axis): Table {
  const { comparisons } = axis;
  const records = comparisons.flatMap(({ levels }) => levels.flatMap(({ of }) => of.records));
  const isCompared = haveReference(records);
  const first = firstLabel(axis);
  const from = first ?? "the first level";
  const shown: Shown = {
    isOne: comparisons.length === 1 || axis.name === "data",
    isCompared,
    hasSplits: !comparisons.every(isOneSplit),
    hasClients: hasColumn(axis, "client_error_mean"),
    hasCommunication: comparisons.some(hasOwnTraffic),
  };
  const spread = (heading: string, name: string) => ({
    heading,
    csv: SPREAD_PARTS.map((part) => `${name}${part}`),
  });
  return {
    name: `compare-${axis.name}`,
    title: `Comparison: ${axis.title.toLowerCase()}`,
    caption:
      `Results after ${roundWords(records)}, for every ${axis.title.toLowerCase()}: means over seeds, sample standard deviations ` +
      "in parentheses, 95 % Student-t intervals in brackets. The relative test error is in per cent, its difference from " +
      `${from}, paired by seed, in percentage points` +
      (isCompared
        ? `; the excess is over the run with the same seed and ${referenceWords(records)}. Differences and excesses whose interval ` +
          "excludes zero are bold."
        : "; differences whose interval excludes zero are bold.") +
      (shown.hasClients
        ? " The errors of clients are those on their own bins, in per cent: their mean, the largest, and their standard deviation over clients in percentage points."
        : "") +
      (shown.hasCommunication ? " Communication is what all participants of a round send and receive." : "") +
      leftWords(axis),
    columns: [
      ...(shown.isOne ? [] : [{ heading: "For", csv: ["comparison"], align: "left" as const }]),
      { heading: axis.title, csv: ["level"], align: "left" },
      { heading: "α", csv: ["alpha"] },
      { heading: "Test error (%)", csv: ESTIMATE_PARTS.map((part) => `test_error_percent${part}`) },
      { heading: `From ${first ?? "first"} (pp)`, csv: ESTIMATE_PARTS.map((part) => `difference${part}`) },
      ...(isCompared
        ? [{ heading: "Excess (pp)", csv: ESTIMATE_PARTS.map((part) => `excess_error${part}`) }]
        : []),
      ...(shown.hasClients
        ? [
            spread("Clients (%)", "client_error_mean_percent"),
            spread("Worst client (%)", "client_error_worst_percent"),
            spread("Client spread (pp)", "client_error_spread_percent"),
          ]
        : []),
      ...(shown.hasCommunication ? [{ heading: "Communication (MB)", csv: ["communication_mb"] }] : []),
      ...(shown.hasSplits ? [spread("D_sol", "d_sol"), spread("H_g^norm", "h_g_norm")] : []),
      ...(isCompared ? [spread("D_θ", "d_theta")] : []),
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: comparisons.flatMap((comparison) => levelRows(comparison, shown)),
  };
}

/** Which columns a table has. */
interface Shown {
  readonly isOne: boolean;
  readonly isCompared: boolean;
  readonly hasSplits: boolean;
  readonly hasClients: boolean;
  readonly hasCommunication: boolean;
}

/** Whether levels train on the same partitions from the same start, so that nothing of these differs. */
function isOneSplit({ levels }: Comparison): boolean {
  const keys = levels.map(({ of: { final } }) =>
    JSON.stringify(final.map(({ alpha, seed, d_sol, h_g_norm }) => [alpha, seed, d_sol, h_g_norm])),
  );
  return new Set(keys).size === 1;
}

/** What of an axis is not shown, where it has more than a page takes. */
export function leftWords({ left }: Axis): string {
  return left === 0 ? "" : ` ${left} more ${left === 1 ? "level is" : "levels are"} left out.`;
}

/** Whether the levels of a comparison send different amounts. */
function hasOwnTraffic({ levels }: Comparison): boolean {
  const sent = levels.flatMap(({ of: { final } }) => final.map(({ communication }) => communication));
  return new Set(sent.filter(Number.isFinite)).size > 1;
}

function levelRows(comparison: Comparison, shown: Shown): Cell[][][] {
  const { title, levels } = comparison;
  const first = firstOf(comparison);
  return levels.map((level) => {
    const { final, referenceAlpha } = level.of;
    return alphasOf(final).map((alpha, i) => {
      // A level is named in its first row; the others belong to it.
      const once = (words: string): Cell => (i === 0 ? textCell(words) : { ...textCell(words), text: "" });
      const error = overSeeds(final, alpha, "test_error", 100);
      const isReference = alpha === referenceAlpha;
      const mean = (name: "d_sol" | "h_g_norm" | "d_theta") => meanCell(overSeeds(final, alpha, name));
      return [
        ...(shown.isOne ? [] : [once(title)]),
        once(level.label),
        { text: String(alpha), values: [alpha] },
        // An error is never zero: that its interval excludes zero says nothing.
        { ...estimateCell(error), strong: false },
        differenceCell(level === first ? undefined : differenceFromFirst(level, first, alpha)),
        ...(shown.isCompared
          ? [estimateCell(isReference ? undefined : overSeeds(final, alpha, "excess_error"))]
          : []),
        ...(shown.hasClients
          ? [
              meanCell(overSeeds(final, alpha, "client_error_mean", 100)),
              meanCell(overSeeds(final, alpha, "client_error_worst", 100)),
              meanCell(overSeeds(final, alpha, "client_error_spread", 100)),
            ]
          : []),
        ...(shown.hasCommunication ? [numberCell(overSeeds(final, alpha, "communication", 1e-6)?.mean)] : []),
        ...(shown.hasSplits ? [mean("d_sol"), mean("h_g_norm")] : []),
        ...(shown.isCompared ? [isReference ? meanCell(undefined) : mean("d_theta")] : []),
        textCell(String(error?.seeds ?? 0)),
      ];
    });
  });
}
