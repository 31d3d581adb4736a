import type { ClaimGroup } from "./claims.js";
import type { Findings } from "./findings.js";
import type { Table } from "./table.js";

/** A figure drawn from seed-level records, with its caption. */
export interface RecordFigure {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  /** Caption in the notation of `notation.ts`. */
  readonly caption: string;
  readonly svg: string;
}

/** What a report says of the paper's values that it shows. */
export const PAPER_SENTENCE =
  "Tables and figures show the paper's values beside those of its settings. Differences are shown as they are.";

/** Findings that tables do not show at a glance, for a report that leaves out the paper's questions. */
export function notesOf({ besidePaper, findings }: Pick<Report, "besidePaper" | "findings">): string[] {
  return besidePaper ? [] : findings.answers.flatMap(({ sentences }) => sentences);
}

/**
 * The content of a report, in order: summary, figures, tables, symbols, runs, commands, and the paper's questions and
 * claims. `report-page.ts` and `report-markdown.ts` render it.
 */
export interface Report {
  /** Title that the user gave. Renderers show it verbatim, without mathematical notation. */
  readonly title: string;
  /** One sentence each on the runs, the results and the missing runs (`reportSummary`). */
  readonly summary: readonly string[];
  readonly findings: Findings;
  /** Whether some runs use a setting of the paper. If not, the report mentions neither the paper nor its questions. */
  readonly besidePaper: boolean;
  /** Claims of the paper that the records can test. */
  readonly claims: readonly ClaimGroup[];
  readonly tables: readonly Table[];
  readonly figures: readonly RecordFigure[];
  /** Names and values, for example versions and hardware. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that reproduce the report. */
  readonly commands: readonly string[];
}
