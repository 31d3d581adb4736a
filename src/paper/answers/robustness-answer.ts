import type { Answer } from "../../analysis/answer.js";
import { errorOfReference, finalRecords, type SeedSummary, sideOfZero } from "../../analysis/observations.js";
import { estimateWords, list, seedWords, sideWords, statedWords, trend } from "../../analysis/phrases.js";
import { atAlpha, meanOf, ofCommonSeeds } from "../../analysis/seed-contrasts.js";
import { seedSigns } from "../../analysis/seed-signs.js";
import type { Subject } from "../../analysis/subject.js";
import { fixed } from "../../analysis/tables/table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ablationTasks } from "../ablation-tables.js";
import { paperRecords } from "../paper-groups.js";
import {
  ABLATIONS,
  type Ablation,
  inSetting,
  isAblated,
  mainTasks,
  settingOf,
  tasksOf,
} from "../settings.js";
import { isControlled, taskTitle } from "../titles.js";
import { paperExcess } from "../values.js";

const ALPHA = 0.01;

/** RQ4: do the conclusions hold over seeds, client counts, optimisers and viscosities? */
export function robustnessAnswer(subject: Subject): Answer {
  const final = finalRecords(paperRecords(subject.records));
  const varied = ABLATIONS.filter((ablation) => ablationTasks(final, ablation).length > 0);
  const compared = varied.flatMap((ablation) => ablationSentences(final, ablation));
  const judged = compared.filter(({ changed }) => changed !== undefined);
  const changed = judged.filter(({ changed }) => changed).length;
  const absent = ABLATIONS.filter((ablation) => !varied.includes(ablation));
  return {
    short:
      varied.length === 0
        ? "Client count, optimiser and PDE parameter were not varied; stability is known over seeds only."
        : judged.length === 0
          ? "No changed setting has enough seeds for an interval yet."
          : `${changed} of ${judged.length} changed settings give another verdict than the main setting on whether the ` +
            `excess error at α = ${ALPHA} lies above zero, includes it or lies below` +
            `${changed > 0 ? `: ${list(judged.filter((one) => one.changed).map(({ name }) => name))}` : ""}. ` +
            geometryWords(final),
    sentences: [...seedSigns(subject), ...compared.map(({ sentence }) => sentence)],
    missing: [
      ...absent.map(({ title }) => `${title}: no records.`),
      ...(mainTasks(final).every(isControlled)
        ? ["Public datasets and other model families are not part of these records."]
        : []),
    ],
  };
}

/** In how many settings distance and gradients rise as alpha falls. */
function geometryWords(final: readonly SeedRecord[]): string {
  const settings = tasksOf(final).flatMap((task) => [
    settingOf(task),
    ...ABLATIONS.filter((ablation) => isAblated(task, ablation)).flatMap(({ levels }) =>
      levels.slice(1).map(({ change }) => settingOf(task, change)),
    ),
  ]);
  const trends = settings.flatMap((setting) => {
    const runs = inSetting(final, setting);
    const found = (["d_sol", "h_g_norm"] as const).map((name) => trend(runs, name));
    return found.every((one) => one !== undefined) ? [found] : [];
  });
  const rising = trends.filter((pair) => pair.every((one) => one!.breaks.length === 0)).length;
  return `Mean D_sol and mean H_g^norm rise with every step of falling α in ${rising} of ${trends.length} settings.`;
}

interface Comparison {
  /** What was changed, and on which side of zero the interval then lies. */
  readonly name: string;
  readonly sentence: string;
  /** Whether the verdict on zero differs from that in the main setting; undefined where one has no interval. */
  readonly changed: boolean | undefined;
}

function ablationSentences(final: readonly SeedRecord[], ablation: Ablation): Comparison[] {
  return ablationTasks(final, ablation).flatMap((task) => {
    const [main, ...others] = ablation.levels.map(({ label, change }) => {
      const setting = settingOf(task, change);
      const runs = inSetting(final, setting);
      const values = atAlpha(runs, ALPHA, "excess_error");
      return { label, runs, values, paper: paperExcess(setting, ALPHA) };
    });
    return others.flatMap((other): Comparison[] => {
      // Both over the same seeds, whatever became of others.
      const paired = ofCommonSeeds([main.values, other.values]);
      const [mainSummary, otherSummary] = paired.map(meanOf);
      if (!mainSummary || !otherSummary) return [];
      const both = [
        { ...main, summary: mainSummary },
        { ...other, summary: otherSummary },
      ];
      const all = new Set([...main.values.keys(), ...other.values.keys()]);
      const seeds =
        paired[0].size === all.size ? "" : `, over the ${seedWords(paired[0].size)} that both have`;
      const words = both.map(({ label, summary, runs, paper }) => {
        const reference = errorOfReference(runs.filter(({ seed }) => paired[0].has(seed)));
        const error = reference ? `, reference error ${fixed(reference.mean, 2)} %` : "";
        const stated = paper ? `; paper: ${statedWords(paper)}` : "";
        return `${estimateWords(summary)} with ${label} (${verdictWords(summary)}${error}${stated})`;
      });
      const overlap = overlapWords(mainSummary, otherSummary);
      const sides = both.map(({ summary }) => sideOfZero(summary));
      return [
        {
          name: `${taskTitle(task)} with ${other.label} (${verdictWords(otherSummary)})`,
          sentence: `${taskTitle(task)}, α = ${ALPHA}: excess error ${list(words)}${overlap}${seeds}.`,
          changed: sides.includes(undefined) ? undefined : sides[0] !== sides[1],
        },
      ];
    });
  });
}

function verdictWords(summary: SeedSummary): string {
  const side = sideOfZero(summary);
  return side === undefined ? "no interval" : sideWords(side);
}

function overlapWords(a: SeedSummary, b: SeedSummary): string {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return "";
  return `; the intervals ${a.low <= b.high && b.low <= a.high ? "overlap" : "do not overlap"}`;
}
