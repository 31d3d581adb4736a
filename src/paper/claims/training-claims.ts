import type { SeedSummary } from "../../analysis/observations.js";
import { changeText, statedWords } from "../../analysis/phrases.js";
import { atAlpha, type BySeed, bySeed, meanOf, pairedChange } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { inSetting, type Setting, settingOf } from "../settings.js";
import { paperTask, paperTitle, taskTitle } from "../titles.js";
import { PAPER_SUMMARY, paperExcess, paperReferenceError, REFERENCE_ALPHA } from "../values.js";
import { type Evidence, namesOf, notMeasured, type Part } from "./claim.js";
import {
  alongAlpha,
  finalRuns,
  onData,
  perTask,
  SEVERE,
  sizePart,
  trendPart,
  zeroPart,
} from "./claim-parts.js";
import { comparedSpread } from "./compared-spread.js";
import { positive } from "./verdicts.js";

/** Checkpoints of "the first tens of rounds", and another reading of it: with the very first rounds. */
const EARLY = [10, 20, 50];
const EARLIER = [1, 5, ...EARLY];

/** The paper's near-IID errors. */
export function referenceErrors(
  evidence: Evidence,
  tasks: readonly string[],
  change: Partial<Setting> = {},
  label = "",
): Part[] {
  return tasks.flatMap((task) => {
    const percent = paperReferenceError(settingOf(task, change));
    if (percent === undefined) return [];
    const text = `${fixed(percent, percent < 1 ? 3 : 2)} %`;
    return perTask(evidence.final, task, text, (_, name) => {
      const runs = finalRuns(evidence, name, change);
      if (runs.length === 0) return undefined;
      const values = atAlpha(runs, REFERENCE_ALPHA, "test_error", 100);
      return sizePart(taskTitle(name) + label, values, { low: percent, text }, percent < 1 ? 3 : 2, "%");
    });
  });
}

/** What the paper says of an excess error, with whether it lies above zero or includes it. */
export function excessPart(evidence: Evidence, setting: Setting, alpha: number, subject: string): Part[] {
  const stated = paperExcess(setting, alpha);
  if (!stated) return [];
  const claim = stated.excludesZero === false ? "unresolved" : "positive";
  const values = atAlpha(inSetting(evidence.final, setting), alpha, "excess_error");
  const { mean } = stated;
  const paper = { text: mean === undefined ? "includes zero" : statedWords(stated), mean };
  return [zeroPart(subject, values, paper, claim)];
}

/** The reduction that the paper reports, with its words. */
interface PaperTransient {
  readonly text: string;
  readonly reduction?: number;
}

/** Mean excess early on less the excess at the end, at the severest concentration. */
export function transientParts(evidence: Evidence, task: string, paper: PaperTransient): Part[] {
  return inBothReadings((rounds) =>
    perTask(evidence.runs, task, paper.text, (_, name) => {
      const [early, late] = earlyAndLate(evidence, name, rounds);
      const [before, after, change] = [meanOf(early), meanOf(late), pairedChange(late, early)];
      if (!before || !after || !change) return undefined;
      const ours = `${fixed(before.mean)} less ${fixed(after.mean)}: ${changeText(change, 3, "pp")}`;
      return {
        subject: roundsOf(name, rounds),
        paper: paper.text,
        ours,
        verdict: positive(change, paper.reduction),
      };
    }),
  );
}

/** Standard deviations over seeds of the excess early on and at the end, at the severest concentration. */
export function transientSpread(evidence: Evidence, task: string): Part[] {
  const paper = "more variable";
  return inBothReadings((rounds) =>
    perTask(evidence.runs, task, paper, (_, name) => {
      const found = comparedSpread(...earlyAndLate(evidence, name, rounds));
      if (!found) return undefined;
      const ours = `${fixed(found.first)} against ${fixed(found.second)} pp`;
      return { subject: roundsOf(name, rounds), paper, ours, verdict: found.verdict };
    }),
  );
}

/**
 * The excess at the checkpoint, up to a round, at which its mean over seeds is largest, at the severest concentration;
 * undefined where there is none.
 */
export function earlyPeak(
  evidence: Evidence,
  name: string,
  until: number,
): { readonly round: number; readonly values: BySeed; readonly summary: SeedSummary } | undefined {
  const severe = severeRuns(evidence, name).filter(({ round }) => round > 0 && round <= until);
  return [...new Set(severe.map(({ round }) => round))]
    .flatMap((round) => {
      const values = bySeed(
        severe.filter((row) => row.round === round),
        ({ excess_error }) => excess_error,
      );
      const summary = meanOf(values);
      return summary ? [{ round, values, summary }] : [];
    })
    .sort((a, b) => b.summary.mean - a.summary.mean)
    .at(0);
}

const roundsOf = (name: string, rounds: readonly number[]): string =>
  `${taskTitle(name)}, rounds ${rounds[0]} to ${rounds.at(-1)}`;

/** Parts by both readings of "the first tens of rounds"; the second is not counted. */
function inBothReadings(judge: (rounds: readonly number[]) => Part[]): Part[] {
  const variant = "with the very first rounds";
  const others = judge(EARLIER).map((part) => ({ ...part, variant }));
  return judge(EARLY).flatMap((part, i) => (part.verdict === "not measured" ? [part] : [part, others[i]]));
}

function severeRuns(evidence: Evidence, name: string): SeedRecord[] {
  return inSetting(evidence.runs, settingOf(name)).filter(({ alpha }) => alpha === SEVERE);
}

/** Excess errors by seed at the severest concentration: mean of some rounds, and at the end. */
function earlyAndLate(evidence: Evidence, name: string, rounds: readonly number[]): [BySeed, BySeed] {
  const severe = severeRuns(evidence, name);
  const early = bySeed(
    finalRuns(evidence, name).filter(({ alpha }) => alpha === SEVERE),
    ({ seed }) => {
      const found = severe.filter((row) => row.seed === seed && rounds.includes(row.round));
      return found.reduce((sum, { excess_error }) => sum + excess_error, 0) / found.length;
    },
  );
  return [early, atAlpha(finalRuns(evidence, name), SEVERE, "excess_error")];
}

/** Gradient dissimilarity along alpha. */
export function gradientTrend(evidence: Evidence, tasks: readonly string[]): Part[] {
  return tasks.flatMap((task) => {
    const paper = `to ${fixed(PAPER_SUMMARY[task].h_g_norm)}`;
    return perTask(evidence.final, task, paper, (_, name) =>
      trendPart(taskTitle(name), alongAlpha(finalRuns(evidence, name), "h_g_norm"), paper),
    );
  });
}

/** Parameter deviation at the severest concentration, less that at the mildest which is not the reference. */
export function parameterGrowth(evidence: Evidence, tasks: readonly string[]): Part[] {
  return tasks.flatMap((task) => {
    const paper = `to ${fixed(PAPER_SUMMARY[task].d_theta)}`;
    return perTask(evidence.final, task, paper, (_, name): Part | undefined => {
      const runs = finalRuns(evidence, name);
      const mild = atAlpha(runs, 10, "d_theta");
      const change = pairedChange(mild, atAlpha(runs, SEVERE, "d_theta"));
      if (!change) return undefined;
      const ours = `${changeText(change)} on ${fixed(meanOf(mild)!.mean)}`;
      return { subject: taskTitle(name), paper, ours, verdict: positive(change) };
    });
  });
}

/** Means at the severest concentration beside the paper's summary. */
export function meanSizes(
  evidence: Evidence,
  tasks: readonly string[],
  name: "h_g_norm" | "d_theta",
): Part[] {
  return tasks.flatMap((task) => {
    const value = PAPER_SUMMARY[paperTask(task)][name];
    const text = fixed(value);
    return perTask(evidence.final, task, text, (_, found) =>
      sizePart(taskTitle(found), atAlpha(finalRuns(evidence, found), SEVERE, name), { low: value, text }),
    );
  });
}

/** Excess errors whose mean the paper states. */
export function excessSize(evidence: Evidence, setting: Setting, alpha: number, subject: string): Part[] {
  const stated = paperExcess(setting, alpha);
  if (stated?.mean === undefined) return [];
  const { mean, low, high } = stated;
  const half = low === undefined || high === undefined ? undefined : (high - low) / 2;
  const values = atAlpha(inSetting(evidence.final, setting), alpha, "excess_error");
  return [sizePart(subject, values, { low: mean, half, text: `${fixed(mean)} pp` }, 3, "pp")];
}

/** Parts of a public task under every name that it has among the runs. */
export function publicParts(
  evidence: Evidence,
  task: string,
  judge: (name: string) => readonly Part[],
  paper: string,
): Part[] {
  const names = namesOf(evidence.final, task);
  return names.length > 0
    ? names.flatMap((name) => judge(name).map((part) => onData(part, name)))
    : [notMeasured(paperTitle(task), paper)];
}
