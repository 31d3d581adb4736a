import type { Axis } from "../analysis/axes/axes.js";
import { comparedErrors } from "../analysis/axes/axis-contrasts.js";
import type { RecordFigure } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import { excessErrorFigure } from "./excess-error.js";
import type { FigureOptions } from "./figure-options.js";
import { axisFigure } from "./levels/axis-curves.js";
import { levelCurvesFigure } from "./levels/level-curves.js";
import { levelDifferencesFigure } from "./levels/level-differences.js";
import { mechanismsFigure } from "./mechanisms.js";
import { partitionHeatmaps } from "./partitions/partition-heatmaps.js";
import { partitionStatisticsFigure } from "./partitions/partition-statistics.js";
import { splitsFigure } from "./partitions/splits.js";
import { seedExcessFigure } from "./seed-excess.js";
import { testErrorFigure } from "./test-error.js";
import { trainingLossFigure } from "./training-loss.js";

/** Lines that cross in one panel without being told apart. */
const MOST_LINES = 6;

/** What a study varies: named levels as rows and over rounds, numbers and a few names as lines over alpha. */
function* axisFigures(axis: Axis): Iterable<RecordFigure | undefined> {
  const isNamed = !axis.isNumeric && axis.name !== "data";
  const most = Math.max(...axis.comparisons.map(({ levels }) => levels.length));
  if (isNamed) {
    for (const error of comparedErrors(axis)) yield levelDifferencesFigure(axis, error);
    yield levelCurvesFigure(axis);
  }
  if (!isNamed || most <= MOST_LINES) yield axisFigure(axis);
}

/**
 * Draws every figure for which a subject has data: what it varies, then its results, then the mechanisms behind them. One
 * at a time, since all of them take seconds.
 */
export function* drawReportFigures(subject: Subject, options: FigureOptions = {}): Iterable<RecordFigure> {
  for (const figure of allFigures(subject, options)) if (figure) yield figure;
}

/** The same, all at once. */
export const reportFigures = (subject: Subject, options: FigureOptions = {}): RecordFigure[] => [
  ...drawReportFigures(subject, options),
];

function* allFigures(subject: Subject, options: FigureOptions): Iterable<RecordFigure | undefined> {
  yield splitsFigure(subject);
  for (const axis of subject.axes) yield* axisFigures(axis);
  for (const make of [
    testErrorFigure,
    excessErrorFigure,
    seedExcessFigure,
    trainingLossFigure,
    partitionStatisticsFigure,
    partitionHeatmaps,
    mechanismsFigure,
  ])
    yield* [make(subject, options)].flat();
}
