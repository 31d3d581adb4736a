import type { RecordFigure } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import { axisFigure } from "./axis-curves.js";
import { excessErrorFigure } from "./excess-error.js";
import type { FigureOptions } from "./figure-options.js";
import { mechanismsFigure } from "./mechanisms.js";
import { partitionHeatmaps } from "./partitions/partition-heatmaps.js";
import { partitionStatisticsFigure } from "./partitions/partition-statistics.js";
import { splitsFigure } from "./partitions/splits.js";
import { seedExcessFigure } from "./seed-excess.js";
import { testErrorFigure } from "./test-error.js";
import { trainingLossFigure } from "./training-loss.js";

/** Draws every figure for which a subject has data: what it varies, then its results, then the mechanisms behind them. */
export function reportFigures(subject: Subject, options: FigureOptions = {}): RecordFigure[] {
  return [
    ...[splitsFigure(subject)].flatMap((drawn) => drawn ?? []),
    ...subject.axes.flatMap((axis) => axisFigure(axis) ?? []),
    ...[
      testErrorFigure,
      excessErrorFigure,
      seedExcessFigure,
      trainingLossFigure,
      partitionStatisticsFigure,
      partitionHeatmaps,
      mechanismsFigure,
    ].flatMap((make) => make(subject, options) ?? []),
  ];
}
