import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { type Coverage, coverage } from "./coverage.js";
import { distanceAnswer } from "./distance-answer.js";
import { errorAnswer } from "./error-answer.js";
import { geometryAnswer } from "./geometry-answer.js";
import { type LeftOut, leftOut } from "./missing-runs.js";
import type { OwnSettings } from "./own-settings.js";
import { robustnessAnswer } from "./robustness-answer.js";

/** What records say, in sentences computed from them, in the notation of `notation.ts`. */
export interface Findings {
  readonly coverage: Coverage;
  /** To the paper's research questions, in their order. */
  readonly answers: readonly Answer[];
}

/** Records as `distinctRecords` returns them, what of a task is not the paper's (`withOwnSettings`), and runs without records. */
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
