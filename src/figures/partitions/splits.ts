import { roundWords } from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import { familyOf } from "../../analysis/splits.js";
import type { Subject } from "../../analysis/subject.js";
import { SPLIT_METRICS, splitDots } from "./split-dots.js";

/** Splits of the same data, whoever made them, from seed-level records. */
export function splitsFigure({ splits, all }: Pick<Subject, "splits" | "all">): RecordFigure | undefined {
  if (splits.length === 0) return undefined;
  const names = SPLIT_METRICS.flatMap(({ name, floor }) => (floor === undefined ? [name] : [name, floor]));
  const panels = splits.map(({ title, splits: own }) => ({
    title,
    rows: own.map((split) => ({
      label: split.label,
      family: familyOf(split),
      values: Object.fromEntries(
        names.map((name) => [
          name,
          split.final.map((record) => record[name as "d_sol"]).filter((value) => Number.isFinite(value)),
        ]),
      ),
    })),
  }));
  return {
    name: "splits",
    title: "Splits of the same data",
    caption:
      "Each row is a split of the same samples: the distance between clients' solutions D_sol beside that of IID clients of the " +
      "same sizes (grey ticks), the distance between their inputs, the variation of their sizes, and the dissimilarity of their " +
      `gradients at the shared start. Runs have ${roundWords(all)}.`,
    svg: splitDots(panels, { name: "Splits of the same data" }),
  };
}
