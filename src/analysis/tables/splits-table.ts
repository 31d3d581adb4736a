import { haveReference, type Measurement, roundWords, summarise } from "../observations.js";
import type { Split, SplitGroup } from "../splits.js";
import type { Subject } from "../subject.js";
import { type Cell, ESTIMATE_PARTS, estimateCell, meanCell, type Table, textCell } from "./table.js";

const SPREAD_PARTS = ["", "_sd"];

/** Splits of the same data, whoever made them: what each did to solutions, inputs, sizes, gradients and errors. */
export function splitsTable({ splits, all }: Pick<Subject, "splits" | "all">): Table {
  const isCompared = haveReference(all);
  const isOne = splits.length <= 1;
  const spread = (heading: string, csv: string) => ({ heading, csv: SPREAD_PARTS.map((part) => csv + part) });
  const measured = splits.flatMap((group) => group.splits.flatMap(({ final }) => final));
  return {
    name: "splits",
    title: "Splits of the same data",
    caption:
      `Splits and what they do, after ${roundWords(measured)}: means over seeds with sample standard deviations in parentheses. ` +
      "The floor is D_sol of IID splits into clients of the same sizes. Input W_1 is the distance between clients' inputs, " +
      "CV_n the variation of client sizes, H_g^norm the dissimilarity of gradients at the shared start." +
      (isCompared
        ? " The excess error over the near-IID reference is in percentage points, with its 95 % interval."
        : ""),
    columns: [
      ...(isOne ? [] : [{ heading: "Data", csv: ["data"], align: "left" as const }]),
      { heading: "Split", csv: ["split"], align: "left" },
      spread("D_sol", "d_sol"),
      spread("Floor", "d_sol_floor"),
      spread("Input W_1", "input_w1"),
      spread("CV_n", "cv_n"),
      spread("H_g^norm", "h_g_norm"),
      spread("Test error (%)", "test_error_percent"),
      ...(isCompared
        ? [{ heading: "Excess (pp)", csv: ESTIMATE_PARTS.map((part) => `excess_error${part}`) }]
        : []),
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: splits.map((group) => rowsOf(group, { isOne, isCompared })),
  };
}

function rowsOf(
  { title, splits }: SplitGroup,
  { isOne, isCompared }: { readonly isOne: boolean; readonly isCompared: boolean },
): Cell[][] {
  return splits.map((split, i) => [
    ...(isOne ? [] : [i === 0 ? textCell(title) : { ...textCell(title), text: "" }]),
    textCell(split.label),
    ...(["d_sol", "d_sol_floor", "input_w1", "cv_n", "h_g_norm"] as const).map((name) =>
      meanCell(splitSummary(split, name)),
    ),
    meanCell(splitSummary(split, "test_error", 100)),
    ...(isCompared
      ? [estimateCell(isReference(split) ? undefined : splitSummary(split, "excess_error"))]
      : []),
    textCell(String(split.final.length)),
  ]);
}

const isReference = ({ final, alpha }: Split): boolean =>
  final.every(({ reference_alpha }) => alpha === reference_alpha);

/** Mean and interval over seeds of what a split measured. */
export function splitSummary(
  { final }: Split,
  measurement: Measurement | "d_sol_floor",
  scale = 1,
): ReturnType<typeof summarise> {
  return summarise(final.map((record) => scale * record[measurement]).filter(Number.isFinite));
}
