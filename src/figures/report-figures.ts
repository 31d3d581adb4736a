import type { RecordFigure } from "../analysis/report.js";
import type { RunTrace } from "../records/run-trace.js";
import type { SeedRecord } from "../records/seed-record.js";
import { besidePaperFigure } from "./beside-paper.js";
import { clientCountFigure } from "./client-count.js";
import { excessErrorFigure } from "./excess-error.js";
import { mechanismsFigure } from "./mechanisms.js";
import { optimizerFigure } from "./optimizer.js";
import { partitionHeatmaps } from "./partition-heatmaps.js";
import { partitionStatisticsFigure } from "./partition-statistics.js";
import { seedExcessFigure } from "./seed-excess.js";
import { testErrorFigure } from "./test-error.js";
import { trainingLossFigure } from "./training-loss.js";
import { viscosityFigure } from "./viscosity.js";

/**
 * Draws every figure for which the records have data, results first. Pass records from `distinctRecords`. Training
 * losses and partition heat maps cover only the runs that have traces.
 */
export function reportFigures(
  records: readonly SeedRecord[],
  traces: readonly RunTrace[] = [],
): RecordFigure[] {
  return [
    testErrorFigure,
    excessErrorFigure,
    seedExcessFigure,
    trainingLossFigure,
    partitionStatisticsFigure,
    partitionHeatmaps,
    mechanismsFigure,
    clientCountFigure,
    optimizerFigure,
    viscosityFigure,
    besidePaperFigure,
  ].flatMap((make) => make(records, traces) ?? []);
}
