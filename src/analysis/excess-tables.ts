import type { SeedRecord } from "../records/seed-record.js";
import {
  alphasOf,
  errorOfReference,
  finalRecords,
  overSeeds,
  referenceHeading,
  referenceWords,
  roundWords,
  type SeedSummary,
  seedsOf,
  withoutReference,
} from "./observations.js";
import { PAPER_SEEDS, type PaperExcess } from "./paper-values.js";
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
import { type Cell, ESTIMATE_PARTS, estimateCell, meanCell, type Table, textCell } from "./table.js";

/** Of the column of {@link referenceCell}, what follows its name in CSV. */
const REFERENCE_PARTS = ["", "_sd", "_seeds"];

/** Excess errors of the main setting at every concentration, beside what the paper states. */
export function excessTable(records: readonly SeedRecord[]): Table {
  const tasks = mainTasks(records.filter(({ excess_error }) => Number.isFinite(excess_error)));
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
    `seed and ${referenceWords(records)}: mean over seeds, sample standard deviation in parentheses, 95 % Student-t interval ` +
    "in brackets, and the number n of seeds where it differs within a row. Intervals that exclude zero are bold. " +
    `${referenceHeading(records)} is the mean relative error of the reference in per cent, with its standard deviation.`;
  return { caption };
}

function columns(records: readonly SeedRecord[], varied?: string) {
  return [
    { heading: "Task", csv: ["task"], align: "left" as const },
    ...(varied === undefined ? [] : [{ heading: varied, csv: ["setting"], align: "left" as const }]),
    { heading: "Source", csv: ["source"], align: "left" as const },
    {
      heading: referenceHeading(records),
      csv: REFERENCE_PARTS.map((part) => `reference_error_percent${part}`),
    },
    ...compared(records).map((alpha) => ({
      heading: `α = ${alpha}`,
      csv: ESTIMATE_PARTS.map((part) => `alpha_${alpha}${part}`),
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
  // Of the seeds that something is compared with; a reference whose runs all failed has nothing beside it.
  const paired = seedsOf(withoutReference(runs));
  const error = errorOfReference(runs.filter(({ seed }) => paired.length === 0 || paired.includes(seed)));
  const counted = counts.length > 1 || (error !== undefined && counts[0] !== error.seeds);
  const seeds = counts.length > 1 ? `${counts[0]}–${counts.at(-1)}` : String(counts[0] ?? 0);
  const ours = [
    ...head("here"),
    referenceCell(error, counted),
    ...summaries.map((summary) => estimateCell(summary, { counted })),
    textCell(seeds),
  ];
  const stated = alphas.map((alpha) => paperExcess(setting, alpha));
  const reference = paperReferenceError(setting);
  const paper = [
    ...head("paper"),
    referenceCell(
      reference === undefined ? undefined : { mean: reference, sd: null, seeds: PAPER_SEEDS.length },
      false,
    ),
    ...stated.map(paperCell),
    textCell(String(PAPER_SEEDS.length)),
  ];
  const found: Cell[][] = runs.length > 0 ? [ours] : [];
  if (reference !== undefined || stated.some((entry) => entry !== undefined)) found.push(paper);
  return found;
}

function referenceCell(
  error: Pick<SeedSummary, "mean" | "sd" | "seeds"> | undefined,
  counted: boolean,
): Cell {
  const { text, values } = meanCell(error);
  return {
    text: error && counted ? `${text}, n = ${error.seeds}` : text,
    values: [...values, error?.seeds ?? null],
  };
}

function paperCell(entry: PaperExcess | undefined): Cell {
  const nothing = estimateCell(undefined);
  if (!entry) return nothing;
  const { mean, low = null, high = null, excludesZero } = entry;
  if (mean === undefined) return { ...nothing, text: excludesZero ? "excludes 0" : "includes 0" };
  // The paper states no standard deviation.
  return { ...estimateCell({ mean, sd: null, low, high, seeds: PAPER_SEEDS.length }), strong: excludesZero };
}
