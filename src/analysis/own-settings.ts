import { TASK_NAMES, type TaskName, taskOf } from "../datasets/tasks.js";
import type { SeedRecord } from "../records/seed-record.js";
import { verbatim } from "./notation.js";
import { finalRounds } from "./observations.js";
import { PAPER_ROUNDS, paperTask, REFERENCE_ALPHA } from "./paper-values.js";
import { ABLATIONS, isAblated, type Level, sameSetting, settingOf, taskTitle } from "./settings.js";

/** Batches that the paper takes for models of fields, "depending on memory requirements". */
const FIELD_BATCHES = { from: 8, to: 16 };

/** The result of `withOwnSettings`. */
export interface OwnSettings {
  readonly records: SeedRecord[];
  /**
   * Overrides that all records of a task share, in words, keyed by title. A task with a setting of the paper has no
   * entry. Titles omit these overrides.
   */
  readonly changed: ReadonlyMap<string, readonly string[]>;
  /** Whether some records use a setting of the paper. Only then may a report mention the paper. */
  readonly besidePaper: boolean;
}

/**
 * Turns each setting that is not in the paper into a task of its own. If a task has several such settings, their
 * names list the overrides: "Burgers, 6 clients, local steps 1". A run with a different number of rounds from the
 * paper's is such a setting.
 *
 * Tables and figures show these tasks like any main setting. They never compare them with the paper. An ablation of
 * the paper also becomes its own task if its main setting has no records.
 */
export function withOwnSettings(records: readonly SeedRecord[]): OwnSettings {
  const tasks = [...new Set(records.map(({ task }) => task))];
  const shown = tasks.map((task) => ofTask(records.filter((record) => record.task === task)));
  return {
    records: shown.flatMap((one) => one.records),
    changed: new Map(shown.flatMap(({ title, changed }) => (changed.length > 0 ? [[title, changed]] : []))),
    besidePaper: shown.some((one) => one.besidePaper),
  };
}

function ofTask(records: readonly SeedRecord[]) {
  const [{ task }] = records;
  const title = shownTitle(task);
  const roundsOf = finalRounds(records);
  const papers = records.filter((record) => isPapers(record, roundsOf(record)));
  // Two files, or two of the batches that the paper may have taken, are two settings.
  const ofPaper = new Set(papers.map(({ changed }) => changed)).size > 1 ? [] : papers;
  const compared = ofPaper.some((record) => sameSetting(record, settingOf(task)));
  const own = records.filter((record) => !ofPaper.includes(record) || !compared);
  const differing = own.map((record) => differences(record, roundsOf(record)));
  const changed =
    ofPaper.length > 0 || own.length === 0
      ? []
      : differing[0].filter((one) => differing.every((other) => other.includes(one)));
  const renamed = own.map((record, i) => {
    const name = [title, ...differing[i].filter((one) => !changed.includes(one))].join(", ");
    return { ...record, ...settingOf(name), changed: "" };
  });
  return {
    title,
    changed,
    besidePaper: ofPaper.length > 0,
    records: [...ofPaper.map((record) => ({ ...record, changed: "" })), ...renamed],
  };
}

/** Whether the paper has the setting, its main one or that of an ablation, and runs of so many rounds. */
export function isPapers(record: SeedRecord, rounds: number): boolean {
  if (record.reference_alpha !== REFERENCE_ALPHA || rounds !== PAPER_ROUNDS) return false;
  if (!isKnown(record.task)) return false;
  if (!optionsOf(record).every((option) => mayBePapers(option, record.task))) return false;
  return changesOf(record.task).some((change) => sameSetting(record, settingOf(record.task, change)));
}

/** A task's name as a heading; one from elsewhere is its user's text. */
export function shownTitle(task: string): string {
  return isKnown(task) ? taskTitle(task) : verbatim(task);
}

/** Whether the task is one of this program's; a table may come from elsewhere. */
function isKnown(task: string): boolean {
  return TASK_NAMES.includes(paperTask(task) as TaskName);
}

function changesOf(task: string): Level["change"][] {
  return ABLATIONS.filter((ablation) => isAblated(task, ablation)).flatMap(({ levels }) =>
    levels.map(({ change }) => change),
  );
}

type Option = readonly [name: string, value: string];

function optionsOf({ changed }: Pick<SeedRecord, "changed">): Option[] {
  return changed
    .split(" ")
    .filter(Boolean)
    .map((one) => one.split("=") as [string, string]);
}

/** The paper says nothing of the files that others imported, and a range of batches for models of fields. */
function mayBePapers([name, value]: Option, task: string): boolean {
  if (name === "data" || name === "rounds") return true; // rounds are compared apart
  const { from, to } = FIELD_BATCHES;
  const isField = taskOf(paperTask(task) as TaskName).model !== "deeponet";
  return name === "batch" && isField && Number(value) >= from && Number(value) <= to;
}

/** "Adam", "momentum SGD", or "SGD" where the momentum is not the bundled studies'. */
export function optimizerTitle(record: Pick<SeedRecord, "optimizer" | "changed">): string {
  const { optimizer } = record;
  if (optimizer !== "sgd") return optimizer === "adam" ? "Adam" : optimizer;
  return optionsOf(record).some(([name]) => name === "momentum") ? "SGD" : "momentum SGD";
}

function referenceDifference(alpha: number): string {
  return Number.isNaN(alpha) ? "no reference run" : `reference α = ${alpha}`;
}

/** The value of an option; one with signs of our notation is text all the same. */
function optionText(value: string): string {
  return /[_^$`]/.test(value) ? verbatim(value) : value;
}

/** What of a record is not the paper's main setting: "ν = 0.05", "6 clients", "local steps 1", "30 rounds". */
function differences(record: SeedRecord, rounds: number): string[] {
  const { task, viscosity, clients, optimizer, reference_alpha } = record;
  const main = settingOf(task);
  const options = optionsOf(record);
  return [
    ...(viscosity === main.viscosity ? [] : [`ν = ${viscosity ?? "unknown"}`]),
    ...(clients === main.clients ? [] : [`${clients} clients`]),
    ...(optimizer === main.optimizer ? [] : [optimizerTitle(record)]),
    ...(reference_alpha === REFERENCE_ALPHA ? [] : [referenceDifference(reference_alpha)]),
    ...options
      .filter(([name]) => name !== "rounds")
      .map(([name, value]) => [name.replaceAll("_", " "), ...(value ? [optionText(value)] : [])].join(" ")),
    ...(rounds === PAPER_ROUNDS ? [] : [`${rounds} round${rounds === 1 ? "" : "s"}`]),
  ];
}
