import { changeText, type Evidence, namesOf, notMeasured, type Part } from "./claim.js";
import { alongAlpha, finalRuns, perTask, SEVERE, sizePart, trendPart, zeroPart } from "./claim-parts.js";
import { PAPER_SUMMARY, paperTask, REFERENCE_ALPHA } from "./paper-values.js";
import { paperWords } from "./phrases.js";
import { atAlpha, bySeed, meanOf, pairedChange } from "./seed-contrasts.js";
import {
  inSetting,
  paperExcess,
  paperReferenceError,
  paperTitle,
  type Setting,
  settingOf,
  taskTitle,
} from "./settings.js";
import { fixed } from "./table.js";
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
  const paper = stated.mean === undefined ? "includes zero" : paperWords(stated);
  return [zeroPart(subject, values, paper, claim)];
}

/** Mean excess early on less the excess at the end, at the severest concentration. */
export function transientParts(evidence: Evidence, task: string, paper: string): Part[] {
  const parts = transientPart(evidence, task, EARLY, paper);
  const variant = "with the very first rounds";
  const others = transientPart(evidence, task, EARLIER, paper).map((part) => ({ ...part, variant }));
  return parts.flatMap((part, i) => (part.verdict === "not measured" ? [part] : [part, others[i]]));
}

function transientPart(evidence: Evidence, task: string, rounds: readonly number[], paper: string): Part[] {
  return perTask(evidence.runs, task, paper, (rows, name) => {
    const severe = inSetting(
      rows.filter(({ alpha }) => alpha === SEVERE),
      settingOf(name),
    );
    const early = bySeed(
      finalRuns(evidence, name).filter(({ alpha }) => alpha === SEVERE),
      ({ seed }) => {
        const found = severe.filter((row) => row.seed === seed && rounds.includes(row.round));
        return found.reduce((sum, { excess_error }) => sum + excess_error, 0) / found.length;
      },
    );
    const late = atAlpha(finalRuns(evidence, name), SEVERE, "excess_error");
    const [before, after, change] = [meanOf(early), meanOf(late), pairedChange(late, early)];
    if (!before || !after || !change) return undefined;
    const ours = `${fixed(before.mean)} less ${fixed(after.mean)}: ${changeText(change, 3, "pp")}`;
    const subject = `${taskTitle(name)}, rounds ${rounds[0]} to ${rounds.at(-1)}`;
    return { subject, paper, ours, verdict: positive(change) };
  });
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
  return names.length > 0 ? names.flatMap(judge) : [notMeasured(paperTitle(task), paper)];
}
