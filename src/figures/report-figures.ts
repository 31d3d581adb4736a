import type { RecordFigure } from "../analysis/report.js";
import type { SeedRecord } from "../records/seed-record.js";
import { besidePaperFigure } from "./beside-paper.js";
import { clientCountFigure } from "./client-count.js";
import { excessErrorFigure } from "./excess-error.js";
import { mechanismsFigure } from "./mechanisms.js";
import { optimizerFigure } from "./optimizer.js";
import { partitionStatisticsFigure } from "./partition-statistics.js";
import { seedExcessFigure } from "./seed-excess.js";
import { testErrorFigure } from "./test-error.js";
import { viscosityFigure } from "./viscosity.js";

/** Every figure that the records have something for. Records as `distinctRecords` returns them. */
export function reportFigures(records: readonly SeedRecord[]): RecordFigure[] {
  return [
    partitionStatisticsFigure,
    testErrorFigure,
    excessErrorFigure,
    mechanismsFigure,
    seedExcessFigure,
    clientCountFigure,
    optimizerFigure,
    viscosityFigure,
    besidePaperFigure,
  ].flatMap((make) => make(records) ?? []);
}
