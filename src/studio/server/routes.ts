import type { Route } from "./route.js";
import { bytesRoute } from "./routes/bytes.js";
import { filesRoute } from "./routes/files.js";
import { folderRoute } from "./routes/folder.js";
import { studiesRoute } from "./routes/studies.js";
import { studyEventsRoute } from "./routes/study-events.js";
import { studyFigureRoute } from "./routes/study-figure.js";
import { studyFiguresRoute } from "./routes/study-figures.js";
import { studyJournalRoute } from "./routes/study-journal.js";
import { studyReportRoute } from "./routes/study-report.js";
import { studyTableRoute } from "./routes/study-table.js";
import { studyTablesRoute } from "./routes/study-tables.js";
import { writeReportRoute } from "./routes/write-report.js";

/** Everything that the page may ask of the server. */
export const ROUTES: readonly Route[] = [
  folderRoute,
  filesRoute,
  bytesRoute,
  studiesRoute,
  studyTableRoute,
  studyEventsRoute,
  studyJournalRoute,
  studyFiguresRoute,
  studyFigureRoute,
  studyTablesRoute,
  studyReportRoute,
  writeReportRoute,
];
