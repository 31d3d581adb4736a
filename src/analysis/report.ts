import type { QuestionedAnswer } from "./answer.js";
import type { Findings } from "./findings.js";
import type { Table } from "./tables/table.js";

/** A figure drawn from seed-level records, with its caption. */
export interface RecordFigure {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  /** Caption in the notation of `notation.ts`. */
  readonly caption: string;
  readonly svg: string;
}

/** What a publication asks and claims, for reports of runs that have its settings. */
export interface PublishedSections {
  readonly questions: {
    readonly heading: string;
    /** What is to be known of the published values. */
    readonly note: string;
    /** Runs of the publication that these records lack. */
    readonly missing: readonly string[];
    readonly answers: readonly QuestionedAnswer[];
  };
  readonly claims?: {
    readonly heading: string;
    /** How many hold, and how to read the table. */
    readonly caption: string;
    readonly table: Table;
    /** The rules by which they are judged, a sentence each. */
    readonly rules: readonly string[];
  };
}

/**
 * The content of a report, in order: summary, figures, tables, symbols, runs, commands, and what a publication adds.
 * `report-page.ts` and `report-markdown.ts` render it.
 */
export interface Report {
  /** Title that the user gave. Renderers show it verbatim, without mathematical notation. */
  readonly title: string;
  /** A few sentences on the runs, what was varied, the results and the missing runs (`reportSummary`). */
  readonly summary: readonly string[];
  readonly findings: Findings;
  readonly tables: readonly Table[];
  readonly figures: readonly RecordFigure[];
  /** Names and values, for example versions and hardware. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that reproduce the report. */
  readonly commands: readonly string[];
  /** Only where some runs have published settings; no other report mentions the publication. */
  readonly published?: PublishedSections;
}

/** Findings that tables do not show at a glance. Questions of a publication have their numbers themselves. */
export function notesOf({ published, findings }: Pick<Report, "published" | "findings">): string[] {
  return [...findings.comparisons, ...(published ? [] : findings.notes)];
}
