import type { Coverage } from "../analysis/coverage.js";
import type { LeftOut } from "../analysis/missing-runs.js";
import type { Published } from "../analysis/published.js";
import type { PublishedSections, RecordFigure } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import type { Table } from "../analysis/tables/table.js";
import type { FigureOptions } from "../figures/figure-options.js";

/**
 * What a publication adds to the report of a study that has its settings. Its titles and colours of data are used in
 * every report; the rest only where a group of runs has published settings.
 */
export interface ReportAdditions {
  readonly published: Published;
  readonly styleOf: NonNullable<FigureOptions["styleOf"]>;
  /** What was run, beside what the publication ran. */
  readonly coverage: (subject: Subject, absent: LeftOut) => Coverage;
  /** Tables and figures beside those that every report has. */
  readonly tables: (subject: Subject) => readonly Table[];
  readonly figures: (subject: Subject) => readonly RecordFigure[];
  /** Its questions and claims. */
  readonly sections: (subject: Subject) => PublishedSections;
}
