import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { estimateText } from "./claim.js";
import { correlationInterval } from "./correlation-intervals.js";
import {
  alphasOf,
  finalRecords,
  type Measurement,
  referenceWords,
  sideOfZero,
  withoutReference,
} from "./observations.js";
import { PAPER_SPEARMAN, PAPER_SUMMARY, paperTask } from "./paper-values.js";
import { list, seedWords, trend, trendWords } from "./phrases.js";
import { type Ascent, ascent, atAlpha } from "./seed-contrasts.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "./settings.js";
import { fixed } from "./table.js";

const MEASURED = [
  { name: "D_sol", measurement: "d_sol" },
  { name: "H_g^norm", measurement: "h_g_norm" },
  { name: "D_θ", measurement: "d_theta" },
] as const;

/** RQ1: does a smaller alpha mean larger distances and more dissimilar gradients? */
export function geometryAnswer(records: readonly SeedRecord[]): Answer {
  const final = finalRecords(records);
  const sentences: string[] = [];
  const missing: string[] = [];
  const both: string[] = [];
  const sure: string[] = [];
  let asked = 0;
  for (const task of mainTasks(final)) {
    const runs = inSetting(final, settingOf(task));
    const trends = MEASURED.map(({ name, measurement }) => {
      // The reference has no distance from itself: the trend of D_θ begins after it.
      const compared = measurement === "d_theta" ? withoutReference(runs) : runs;
      const change = changeOf(compared, measurement)?.change;
      return { name, measurement, found: trend(compared, measurement), change };
    });
    if (trends.every(({ found }) => !found)) {
      missing.push(
        alphasOf(runs).length < 2
          ? `${taskTitle(task)} has one concentration only, so there is no trend.`
          : `${taskTitle(task)} has no seed with all concentrations, so there is no trend.`,
      );
      continue;
    }
    asked++;
    if (trends.slice(0, 2).every(({ found }) => found?.breaks.length === 0)) both.push(taskTitle(task));
    if (trends.slice(0, 2).every(({ change }) => sideOfZero(change) === "above")) sure.push(taskTitle(task));
    for (const { name, measurement, found, change } of trends) {
      if (!found) continue;
      const paper = PAPER_SUMMARY[task]?.[measurement];
      const stated = paper === undefined ? "" : ` The paper has ${fixed(paper)} at α = 0.01.`;
      const whole = change
        ? `; the whole change, paired over ${seedWords(change.seeds)}, is ${estimateText(change)}`
        : "";
      sentences.push(`${taskTitle(task)}: mean ${name} ${trendWords(found)}${whole}.${stated}`);
    }
    const ranks = rankWords(runs, task);
    if (ranks) sentences.push(ranks);
  }
  return {
    id: "RQ1",
    question: "Does decreasing α increase realised solution distance and gradient heterogeneity?",
    short:
      asked === 0
        ? "The records do not tell: no task has two concentrations."
        : `Mean D_sol and mean H_g^norm both rise with every step of falling α in ${both.length} of ${asked} ` +
          `task${asked === 1 ? "" : "s"}${both.length > 0 ? ` (${list(both)})` : ""}; the 95 % intervals of both changes, ` +
          `paired by seed, lie above zero in ${sure.length} of ${asked}.`,
    sentences,
    missing,
  };
}

/** Change of a mean from the largest to the smallest concentration. */
function changeOf(runs: readonly SeedRecord[], measurement: Measurement): Ascent | undefined {
  return ascent(alphasOf(runs).map((alpha) => atAlpha(runs, alpha, measurement)));
}

function rankWords(runs: readonly SeedRecord[], task: string): string | undefined {
  const found = MEASURED.slice(1).flatMap(({ name, measurement }) => {
    if (measurement === "d_sol") return [];
    const pairing = { kind: "spearman", x: "d_sol", y: measurement } as const;
    const rank = correlationInterval(withoutReference(runs), pairing);
    if (!rank) return [];
    const paper = PAPER_SPEARMAN[paperTask(task)]?.[measurement];
    const stated = paper === undefined ? "" : ` (paper ${fixed(paper, 2)})`;
    return [`${estimateText(rank, 2)} with ${name}${stated}`];
  });
  if (found.length === 0) return undefined;
  return `${taskTitle(task)}: over ${withoutReference(runs).length} runs without ${referenceWords(runs)} the rank correlation of D_sol is ${list(found)}; intervals leave out one seed at a time.`;
}
