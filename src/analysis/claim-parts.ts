import type { SeedRecord } from "../records/seed-record.js";
import { changeText, type Evidence, estimateText, namesOf, notMeasured, type Part } from "./claim.js";
import { correlationContrast, correlationInterval, type Pairing } from "./correlation-intervals.js";
import { PAPER_ALPHAS, type Relation } from "./paper-values.js";
import { ascent, atAlpha, type BySeed, meanOf } from "./seed-contrasts.js";
import { inSetting, paperTitle, type Setting, settingOf, taskTitle } from "./settings.js";
import { fixed } from "./table.js";
import { ascends, type PaperMean, positive, sameSize, unresolved } from "./verdicts.js";

/** The smallest concentration of the paper, at which it states most. */
export const SEVERE = 0.01;

/** A part for each name under which rows have the task, or one that says that there is none. */
export function perTask<Row extends { readonly task: string }>(
  rows: readonly Row[],
  task: string,
  paper: string,
  judge: (rows: readonly Row[], name: string) => Part | undefined,
): Part[] {
  const found = namesOf(rows, task).flatMap(
    (name) =>
      judge(
        rows.filter((row) => row.task === name),
        name,
      ) ?? [],
  );
  return found.length > 0 ? found : [notMeasured(paperTitle(task), paper)];
}

/** Final records of a task in the main setting, or with something changed. */
export function finalRuns(evidence: Evidence, task: string, change: Partial<Setting> = {}): SeedRecord[] {
  return inSetting(evidence.final, settingOf(task, change));
}

/** The claim that a mean is the paper's. */
export function sizePart(
  subject: string,
  values: BySeed,
  paper: PaperMean & { readonly text: string },
  digits = 3,
  unit = "",
): Part {
  const summary = meanOf(values);
  if (!summary) return notMeasured(subject, paper.text);
  return {
    subject,
    paper: paper.text,
    ours: estimateText(summary, digits, unit),
    verdict: sameSize(summary, paper),
  };
}

/** The claim that a mean over seeds is positive, or that its interval includes zero. */
export function zeroPart(
  subject: string,
  values: BySeed,
  paper: string,
  claim: "positive" | "unresolved",
): Part {
  const summary = meanOf(values);
  if (!summary) return notMeasured(subject, paper);
  const judge = claim === "positive" ? positive : unresolved;
  const [ours, brief] = [3, 2].map((digits) => estimateText(summary, digits, "pp"));
  return { subject, paper, ours, brief, verdict: judge(summary) };
}

/** The claim that a mean rises along a row of settings. */
export function trendPart(subject: string, settings: readonly BySeed[], paper: string, unit = ""): Part {
  const found = ascent(settings);
  if (!found) return notMeasured(subject, paper);
  const { change, steps } = found;
  const up = steps.filter(({ mean }) => mean > 0).length;
  return {
    subject,
    paper,
    ours: `${changeText(change, 3, unit)}, up at ${up} of ${steps.length} steps`,
    brief: changeText(change, 2, unit),
    verdict: ascends(found),
  };
}

/** A measurement at each of the paper's concentrations, near-IID first. */
export function alongAlpha<Name extends "d_sol" | "cv_n" | "h_g_norm">(
  rows: readonly ({ readonly alpha: number; readonly seed: number } & Readonly<Record<Name, number>>)[],
  name: Name,
): BySeed[] {
  return PAPER_ALPHAS.map((alpha) => atAlpha(rows, alpha, name));
}

/** A rank correlation of the solution distance. */
export const rank = (y: Relation): Pairing => ({ kind: "spearman", x: "d_sol", y });

/** The claim that a correlation is positive. */
export function correlationPart(
  runs: readonly SeedRecord[],
  task: string,
  pairing: Pairing,
  paper: string,
): Part {
  const summary = correlationInterval(runs, pairing);
  if (!summary) return notMeasured(taskTitle(task), paper);
  return { subject: taskTitle(task), paper, ours: estimateText(summary, 2), verdict: positive(summary) };
}

/** The claim that one correlation is stronger than another, or as strong. */
export function contrastPart(
  runs: readonly SeedRecord[],
  task: string,
  pairings: readonly [stronger: Pairing, weaker: Pairing],
  paper: string,
  claim: "stronger" | "alike",
): Part {
  const contrast = correlationContrast(runs, ...pairings);
  const [a, b] = pairings.map((pairing) => correlationInterval(runs, pairing)?.mean);
  if (!contrast || a === undefined || b === undefined) return notMeasured(taskTitle(task), paper);
  return {
    subject: taskTitle(task),
    paper,
    ours: `${fixed(a, 2)} against ${fixed(b, 2)}; Δz = ${estimateText(contrast, 2)}`,
    brief: `Δz = ${estimateText(contrast, 2)}`,
    verdict: (claim === "stronger" ? positive : unresolved)(contrast),
  };
}
