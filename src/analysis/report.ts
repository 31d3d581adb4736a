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

/** Everything that a report says; `report-page.ts` and `report-markdown.ts` set it. */
export interface Report {
  readonly title: string;
  readonly findings: Findings;
  /** The paper's claims that the records reach. */
  readonly claims: readonly ClaimGroup[];
  readonly tables: readonly Table[];
  readonly figures: readonly RecordFigure[];
  /** Names and values such as versions and hardware. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that make it again. */
  readonly commands: readonly string[];
}
