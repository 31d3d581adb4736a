import type { SeedRecord } from "../records/seed-record.js";
import { ablationTasks } from "./excess-tables.js";
import { type LeftOut, leftOut, withoutReferenceSentences } from "./missing-runs.js";
import { alphasOf, finalRecords, finalRound, seedsOf } from "./observations.js";
import type { OwnSettings } from "./own-settings.js";
import { PAPER_ALPHAS, PAPER_ROUNDS, PAPER_SEEDS, paperTask } from "./paper-values.js";
import { list } from "./phrases.js";
import {
  ABLATIONS,
  CONTROLLED_NAMES,
  inSetting,
  isAblated,
  isControlled,
  mainTasks,
  PUBLIC_NAMES,
  type Setting,
  settingOf,
  tasksOf,
  taskTitle,
} from "./settings.js";

/** The completed runs, and the missing part of the paper's controlled grid, in words. */
export interface Coverage {
  readonly run: readonly string[];
  /** Runs excluded from the means, with the reason, and runs without a reference. */
  readonly gaps: readonly string[];
  readonly missing: readonly string[];
}

const FULL = PAPER_ALPHAS.length * PAPER_SEEDS.length;

export function coverage(
  records: readonly SeedRecord[],
  changed: OwnSettings["changed"] = new Map(),
  absent: LeftOut = leftOut(records),
): Coverage {
  const found = tasksOf(records).flatMap((task) => {
    const settings: [string, Setting][] = [["", settingOf(task)]];
    for (const ablation of ABLATIONS)
      if (isAblated(task, ablation))
        for (const { label, change } of ablation.levels.slice(1))
          settings.push([`, ${label}`, settingOf(task, change)]);
    return settings.flatMap(([suffix, setting]) => {
      const words = settingWords(records, setting);
      return words === undefined ? [] : [{ name: taskTitle(task) + suffix, words }];
    });
  });
  // A setting of the paper may be shown as one of its own besides.
  const distinct = [...new Map(found.reverse().map((one) => [one.name, one])).values()].reverse();
  // Settings of which the same was run are told of together.
  const alike = [...new Set(distinct.map(({ words }) => words))].map((words) => {
    const names = distinct.filter((one) => one.words === words).map(({ name }) => name);
    return names.length === 1 ? `${names[0]}: ${words}.` : `${names.join("; ")}: each ${words}.`;
  });
  const missing: string[] = [];
  const present = mainTasks(records);
  // Controlled and public tasks are studies of their own: what is missing is told of those that were begun.
  const begun = [CONTROLLED_NAMES, PUBLIC_NAMES].filter((tasks) =>
    tasks.some((task) => present.includes(task)),
  );
  const lacking = begun.flat().filter((task) => !present.includes(task));
  if (lacking.length > 0) missing.push(`No records of ${list(lacking.map(taskTitle))} in the main setting.`);
  for (const ablation of present.some(isControlled) ? ABLATIONS : [])
    if (ablationTasks(records, ablation).length === 0)
      missing.push(`No records of the ablation over ${ablation.title.toLowerCase()}.`);
  return { run: [...changedWords(changed), ...alike], gaps: gapSentences(records, absent), missing };
}

/** Which runs means leave out, every one of them, and which have nothing to be compared with. */
function gapSentences(records: readonly SeedRecord[], { runs, planned, phrases }: LeftOut): string[] {
  return [
    ...(runs > 0
      ? [
          `${runs} of ${planned} runs are left out of means and correlations.`,
          ...phrases.map((one) => `${one}.`),
        ]
      : []),
    ...withoutReferenceSentences(records),
  ];
}

function settingWords(records: readonly SeedRecord[], setting: Setting): string | undefined {
  const all = inSetting(records, setting);
  if (all.length === 0) return undefined;
  const last = finalRound(all);
  const done = finalRecords(all);
  const runs = new Set(all.map((record) => `${record.alpha}/${record.seed}`)).size;
  const seeds = seedsOf(all);
  const grid = `α = ${alphasOf(all).join(", ")}; seed${seeds.length > 1 ? "s" : ""} ${seeds.join(", ")}`;
  const rest = runs > done.length ? `, ${runs - done.length} more on the way` : "";
  return `${shareWords(done, setting, last)} at round ${last}${rest} (${grid})`;
}

/** How many runs there are and, of those as long as the paper's and in a setting of it, how many are the paper's. */
function shareWords(done: readonly SeedRecord[], { task }: Setting, last: number): string {
  const known = [...CONTROLLED_NAMES, ...PUBLIC_NAMES].includes(paperTask(task));
  const plain = `${done.length} run${done.length === 1 ? "" : "s"}`;
  if (!known || last !== PAPER_ROUNDS) return plain;
  const ofPaper = done.filter(
    ({ alpha, seed }) => PAPER_ALPHAS.includes(alpha) && PAPER_SEEDS.includes(seed),
  ).length;
  if (ofPaper === done.length) return `${ofPaper} of the paper's ${FULL} runs`;
  return ofPaper === 0 ? plain : `${plain}, ${ofPaper} of the paper's ${FULL} among them,`;
}

/** With which options a task was run that are not the paper's; tasks with the same are told of together. */
function changedWords(changed: OwnSettings["changed"]): string[] {
  const texts = new Map([...changed].map(([title, words]) => [title, words.join(", ")]));
  return [...new Set(texts.values())].map((text) => {
    const titles = [...texts].filter(([, one]) => one === text).map(([title]) => title);
    return `${list(titles)} ${titles.length === 1 ? "was" : "were"} run with ${text}.`;
  });
}
