import type { SeedRecord } from "../records/seed-record.js";
import {
  alphasOf,
  errorOfReference,
  finalRecords,
  overSeeds,
  referenceHeading,
  referenceWords,
  roundWords,
  withoutReference,
} from "./observations.js";
import type { PaperExcess } from "./paper-values.js";
import {
  ABLATIONS,
  type Ablation,
  inSetting,
  isAblated,
  type Level,
  mainTasks,
  paperExcess,
  paperReferenceError,
  paperTitle,
  type Setting,
  settingOf,
  tasksOf,
  taskTitle,
} from "./settings.js";
import { type Cell, estimateCell, NOTHING, numberCell, type Table, textCell } from "./table.js";

/** Excess errors of the main setting at every concentration, beside what the paper states. */
export function excessTable(records: readonly SeedRecord[]): Table {
  const tasks = mainTasks(records);
  return {
    ...describe(records),
    name: "excess-error",
    title: "Excess error",
    columns: columns(records),
    groups: tasks.map((task) => rows(records, settingOf(task), undefined)),
  };
}

/** An ablation's settings that have records, the main one included; undefined where none but the main one has. */
export function ablationTable(records: readonly SeedRecord[], ablation: Ablation): Table | undefined {
  const tasks = ablationTasks(records, ablation);
  if (tasks.length === 0) return undefined;
  return {
    ...describe(records),
    name: `ablation-${ablation.name}`,
    title: `Ablation: ${ablation.title.toLowerCase()}`,
    columns: columns(records, ablation.title),
    groups: tasks.map((task) =>
      ablation.levels.flatMap((level) => rows(records, settingOf(task, level.change), level)),
    ),
  };
}

/** Tasks of which an ablation has records beyond the main setting. */
export function ablationTasks(records: readonly SeedRecord[], ablation: Ablation): string[] {
  return tasksOf(records).filter(
    (task) =>
      isAblated(task, ablation) &&
      ablation.levels.slice(1).some(({ change }) => inSetting(records, settingOf(task, change)).length > 0),
  );
}

export function ablationTables(records: readonly SeedRecord[]): Table[] {
  return ABLATIONS.flatMap((ablation) => ablationTable(records, ablation) ?? []);
}

function describe(records: readonly SeedRecord[]) {
  const caption =
    `Signed excess error in percentage points after ${roundWords(records)}, against the run with the same ` +
    `seed and ${referenceWords(records)}: means over seeds with 95 % Student-t intervals. Intervals that exclude zero are bold. ` +
    `${referenceHeading(records)} is the mean relative error of the reference in per cent.`;
  return { caption };
}

function columns(records: readonly SeedRecord[], varied?: string) {
  return [
    { heading: "Task", csv: ["task"], align: "left" as const },
    ...(varied === undefined ? [] : [{ heading: varied, csv: ["setting"], align: "left" as const }]),
    { heading: "Source", csv: ["source"], align: "left" as const },
    { heading: referenceHeading(records), csv: ["reference_error_percent"] },
    ...compared(records).map((alpha) => ({
      heading: `α = ${alpha}`,
      csv: [`alpha_${alpha}`, `alpha_${alpha}_low`, `alpha_${alpha}_high`],
    })),
    { heading: "Seeds", csv: ["seeds"] },
  ];
}

function compared(records: readonly SeedRecord[]): number[] {
  return alphasOf(withoutReference(records));
}

/** Our row, where there are records, and the paper's, where it says something. */
function rows(records: readonly SeedRecord[], setting: Setting, level: Level | undefined): Cell[][] {
  const alphas = compared(records);
  const runs = inSetting(finalRecords(records), setting);
  const head = (source: "here" | "paper") => [
    textCell((source === "here" ? taskTitle : paperTitle)(setting.task)),
    ...(level ? [textCell(level.label)] : []),
    textCell(source),
  ];
  const summaries = alphas.map((alpha) => overSeeds(runs, alpha, "excess_error"));
  const counts = [...new Set(summaries.flatMap((summary) => summary?.seeds ?? []))].sort((a, b) => a - b);
  const seeds = counts.length > 1 ? `${counts[0]}–${counts.at(-1)}` : String(counts[0] ?? 0);
  const ours = [
    ...head("here"),
    numberCell(errorOfReference(runs)?.mean),
    ...summaries.map(estimateCell),
    textCell(seeds),
  ];
  const stated = alphas.map((alpha) => paperExcess(setting, alpha));
  const reference = paperReferenceError(setting);
  const paper = [...head("paper"), numberCell(reference), ...stated.map(paperCell), textCell("5")];
  const found: Cell[][] = runs.length > 0 ? [ours] : [];
  if (reference !== undefined || stated.some((entry) => entry !== undefined)) found.push(paper);
  return found;
}

function paperCell(entry: PaperExcess | undefined): Cell {
  if (!entry) return { text: NOTHING, values: [null, null, null] };
  const { mean, low = null, high = null, excludesZero } = entry;
  if (mean === undefined)
    return { text: excludesZero ? "excludes 0" : "includes 0", values: [null, null, null] };
  return { ...estimateCell({ mean, low, high }), strong: excludesZero };
}
