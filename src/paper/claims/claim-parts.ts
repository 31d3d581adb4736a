import {
  correlationContrast,
  correlationInterval,
  fisherInterval,
  type Pairing,
} from "../../analysis/correlation-intervals.js";
import { changeText, estimateText } from "../../analysis/phrases.js";
import type { Relation } from "../../analysis/published.js";
import { ascent, atAlpha, type BySeed, meanOf } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { inSetting, type Setting, settingOf } from "../settings.js";
import { paperTitle, taskTitle } from "../titles.js";
import { PAPER_ALPHAS } from "../values.js";
import { type Evidence, isSimulated, namesOf, notMeasured, type Part } from "./claim.js";
import { ascends, type PaperMean, positive, sameSize, sameStrength, unresolved } from "./verdicts.js";

/** The smallest concentration of the paper, at which it states most. */
export const SEVERE = 0.01;

/** A part for each name under which rows have the task, or one that says that there is none. */
export function perTask<Row extends { readonly task: string }>(
  rows: readonly Row[],
  task: string,
  paper: string,
  judge: (rows: readonly Row[], name: string) => Part | undefined,
): Part[] {
  const found = namesOf(rows, task).flatMap((name) => {
    const part = judge(
      rows.filter((row) => row.task === name),
      name,
    );
    return part ? [onData(part, name)] : [];
  });
  return found.length > 0 ? found : [notMeasured(paperTitle(task), paper)];
}

/** The part, marked as one on simulated data where it is. */
export function onData(part: Part, name: string): Part {
  return isSimulated(name) && part.verdict !== "not measured" ? { ...part, simulated: true } : part;
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
  paper: { readonly text: string; readonly mean?: number },
  claim: "positive" | "unresolved",
): Part {
  const summary = meanOf(values);
  if (!summary) return notMeasured(subject, paper.text);
  const judge = claim === "positive" ? positive : unresolved;
  const [ours, brief] = [3, 2].map((digits) => estimateText(summary, digits, "pp"));
  return { subject, paper: paper.text, ours, brief, verdict: judge(summary, paper.mean) };
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

/** A correlation of the paper, or the range that it lies in, with its words. */
export interface PaperCorrelation {
  readonly low: number;
  readonly high?: number;
  readonly text: string;
}

/** The claim that a correlation is positive. */
export function correlationPart(
  runs: readonly SeedRecord[],
  task: string,
  pairing: Pairing,
  paper: PaperCorrelation,
): Part {
  const summary = correlationInterval(runs, pairing);
  if (!summary) return notMeasured(taskTitle(task), paper.text);
  return {
    subject: taskTitle(task),
    paper: paper.text,
    ours: estimateText(summary, 2),
    verdict: positive(summary, paper.low),
  };
}

/** The claim that a correlation is as strong as the paper's. */
export function strengthPart(
  runs: readonly SeedRecord[],
  subject: string,
  pairing: Pairing,
  { low, high = low, text }: PaperCorrelation,
): Part {
  const [summary, scaled] = [correlationInterval(runs, pairing), fisherInterval(runs, pairing)];
  if (!summary || !scaled) return notMeasured(subject, text);
  return {
    subject,
    paper: text,
    ours: estimateText(summary, 2),
    verdict: sameStrength(scaled, { low: Math.atanh(low), high: Math.atanh(high) }),
  };
}

/** Two correlations of the paper, where it states them, with its words. */
export interface PaperContrast {
  readonly values?: readonly [stronger: number, weaker: number];
  readonly text: string;
}

/** The claim that one correlation is stronger than another, or as strong. */
export function contrastPart(
  runs: readonly SeedRecord[],
  task: string,
  pairings: readonly [stronger: Pairing, weaker: Pairing],
  { values, text: paper }: PaperContrast,
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
    verdict:
      claim === "stronger"
        ? positive(contrast, values && Math.atanh(values[0]) - Math.atanh(values[1]))
        : unresolved(contrast, values && Math.atanh(values[0])),
  };
}
