import type { ClaimGroup } from "./claims.js";
import type { Findings } from "./findings.js";
import type { Table } from "./table.js";

/** A figure made from seed-level records, with what a paper would print under it. */
export interface RecordFigure {
  /** File name without ending. */
  readonly name: string;
  readonly title: string;
  /** In the notation of `notation.ts`. */
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
 * Everything that a report says; `report-page.ts` and `report-markdown.ts` set it: a summary, figures, tables, what the
 * symbols mean, what was run, how to make it again, and what the paper asks and claims at the end.
 */
export interface Report {
  /** Its user's text, in which no sign means mathematics. */
  readonly title: string;
  /** What was run, what came out and what is missing, a sentence each (`reportSummary`). */
  readonly summary: readonly string[];
  readonly findings: Findings;
  /** Whether some of the runs are the paper's. If none is, neither it nor its questions are shown or named. */
  readonly besidePaper: boolean;
  /** The paper's claims that the records reach. */
  readonly claims: readonly ClaimGroup[];
  readonly tables: readonly Table[];
  readonly figures: readonly RecordFigure[];
  /** Names and values such as versions and hardware. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that make it again. */
  readonly commands: readonly string[];
}
