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

/** What a report says of where it comes from. */
export function sourceSentence({ besidePaper }: Pick<Report, "besidePaper">): string {
  return besidePaper
    ? "Written from seed-level records alone; the paper's values stand beside those of its settings. Differences are shown as they are."
    : "Written from seed-level records alone.";
}

/** Everything that a report says; `report-page.ts` and `report-markdown.ts` set it. */
export interface Report {
  /** Its user's text, in which no sign means mathematics. */
  readonly title: string;
  readonly findings: Findings;
  /** Whether some of the runs are the paper's. If none is, nothing of the paper is shown or named. */
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
