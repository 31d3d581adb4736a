import type { PublishedSections } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import type { ReportAdditions } from "../report/additions.js";
import { ablationTables } from "./ablation-tables.js";
import { paperAnswers } from "./answers/answers.js";
import { claims, measured, tally } from "./claims/claims.js";
import { claimsTable, ruleSentences } from "./claims/claims-table.js";
import { tallyWords } from "./claims/tally-words.js";
import { missingFromPaper, paperCoverage } from "./coverage.js";
import { paperFigures } from "./figures/paper-figures.js";
import { paperRecords } from "./paper-groups.js";
import { PAPER } from "./published.js";
import { styleOf } from "./task-styles.js";

/** What the paper adds to the report of a study that has its settings. */
export const PAPER_ADDITIONS: ReportAdditions = {
  published: PAPER,
  styleOf,
  coverage: paperCoverage,
  tables: ablationTables,
  figures: paperFigures,
  sections: paperSections,
};

export function paperSections(subject: Subject): PublishedSections {
  const groups = measured(claims(paperRecords(subject.records)));
  const table = claimsTable(groups);
  return {
    questions: {
      heading: "The paper's research questions",
      note: "Tables and figures show the paper's values beside those of its settings. Differences are shown as they are.",
      missing: missingFromPaper(subject),
      answers: paperAnswers(subject),
    },
    ...(groups.length > 0 && {
      claims: {
        heading: "The paper's claims",
        caption: `${tallyWords(tally(groups))} ${table.caption}`,
        table,
        rules: ruleSentences(groups),
      },
    }),
  };
}
