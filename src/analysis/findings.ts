import { axisFindings } from "./axes/axis-findings.js";
import { type Coverage, coverage } from "./coverage.js";
import { distanceAnswer } from "./distance-answer.js";
import { errorAnswer } from "./error-answer.js";
import { geometryAnswer } from "./geometry-answer.js";
import { type LeftOut, leftOut } from "./missing-runs.js";
import { list } from "./phrases.js";
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
    notes: alike(subject, [
      ...[geometryAnswer, distanceAnswer, errorAnswer].flatMap((answer) => answer(subject).sentences),
      ...seedSigns(subject),
    ]),
  };
}

/** More titles than these are counted. */
const MOST_TITLES = 4;

/** Sentences that say the same of several cases as one sentence of all of them. */
function alike({ cases }: Subject, sentences: readonly string[]): string[] {
  const titles = cases.map(({ title }) => title).sort((a, b) => b.length - a.length);
  const groups = new Map<string, string[]>();
  for (const sentence of sentences) {
    const title = titles.find((one) => sentence.startsWith(`${one}: `)) ?? "";
    const rest = title === "" ? sentence : sentence.slice(title.length);
    groups.set(rest, [...(groups.get(rest) ?? []), title]);
  }
  return [...groups].map(([rest, of]) => {
    if (of.length <= MOST_TITLES) return `${list(of)}${rest}`;
    return `${of[0]} and ${of.length - 1} other cases${rest}`;
  });
}
