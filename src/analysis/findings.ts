import { axisFindings } from "./axis-findings.js";
import { type Coverage, coverage } from "./coverage.js";
import { distanceAnswer } from "./distance-answer.js";
import { errorAnswer } from "./error-answer.js";
import { geometryAnswer } from "./geometry-answer.js";
import { type LeftOut, leftOut } from "./missing-runs.js";
import { seedSigns } from "./seed-signs.js";
import type { Subject } from "./subject.js";

/** Sentences computed from the records, in the notation of `notation.ts`. */
export interface Findings {
  readonly coverage: Coverage;
  /** What the levels of every axis do to errors, a sentence each. */
  readonly comparisons: readonly string[];
  /** What alpha does to distances, gradients, parameters and errors, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Computes the findings of a subject. `absent` describes the runs without records. Default: the runs that other seeds of
 * their setting have.
 */
export function findings(subject: Subject, absent: LeftOut = leftOut(subject.records)): Findings {
  return {
    coverage: coverage(subject, absent),
    comparisons: subject.axes.flatMap(axisFindings),
    notes: [
      ...[geometryAnswer, distanceAnswer, errorAnswer].flatMap((answer) => answer(subject).sentences),
      ...seedSigns(subject),
    ],
  };
}
