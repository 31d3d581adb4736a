import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { type Coverage, coverage } from "./coverage.js";
import { distanceAnswer } from "./distance-answer.js";
import { errorAnswer } from "./error-answer.js";
import { geometryAnswer } from "./geometry-answer.js";
import { type LeftOut, leftOut } from "./missing-runs.js";
import type { OwnSettings } from "./own-settings.js";
import { robustnessAnswer } from "./robustness-answer.js";

/** Sentences computed from the records, in the notation of `notation.ts`. */
export interface Findings {
  readonly coverage: Coverage;
  /** Answers to the paper's research questions, in the paper's order. */
  readonly answers: readonly Answer[];
}

/**
 * Computes the findings from the output of `distinctRecords`. `changed` lists each task's deviations from the paper
 * (`withOwnSettings`). `absent` describes the runs without records. Default: the runs that other seeds of their
 * setting have.
 */
export function findings(
  records: readonly SeedRecord[],
  changed?: OwnSettings["changed"],
  absent: LeftOut = leftOut(records),
): Findings {
  return {
    coverage: coverage(records, changed, absent),
    answers: [geometryAnswer, distanceAnswer, errorAnswer, robustnessAnswer].map((answer) => answer(records)),
  };
}
