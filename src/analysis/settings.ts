import { TASK_NAMES, type TaskName, taskOf } from "../datasets/tasks.js";
import type { SeedRecord } from "../records/seed-record.js";
import {
  PAPER_DATA,
  PAPER_EXCESS_ERRORS,
  PAPER_REFERENCE_ERRORS,
  type PaperExcess,
  paperTask,
} from "./paper-values.js";

/** What is trained, but for concentration and seed: runs of one setting share references and are comparable. */
export interface Setting {
  readonly task: string;
  readonly viscosity: number | null;
  readonly clients: number;
  readonly optimizer: string;
}

/** The viscosity of the paper's main setting. */
const MAIN_VISCOSITY = 0.1;

/** The paper's main setting of a task, with whatever is changed. */
export function settingOf(task: string, change: Partial<Setting> = {}): Setting {
  const viscosity = paperTask(task) === "burgers" ? MAIN_VISCOSITY : null;
  return { viscosity, clients: 10, optimizer: "adam", ...change, task };
}

/** A setting in which one thing is varied, and how that is called. */
export interface Level {
  readonly label: string;
  readonly change: Partial<Setting>;
}

/** One thing varied while the rest stays as in the main setting (sec:result-ablation). */
export interface Ablation {
  readonly name: "clients" | "optimizer" | "viscosity";
  readonly title: string;
  /** Tasks that it applies to; all where there is no list. */
  readonly tasks?: readonly string[];
  /** The main setting first. */
  readonly levels: readonly Level[];
}

export const ABLATIONS: readonly Ablation[] = [
  {
    name: "clients",
    title: "Client count",
    levels: [
      { label: "10 clients", change: {} },
      { label: "20 clients", change: { clients: 20 } },
    ],
  },
  {
    name: "optimizer",
    title: "Optimiser",
    levels: [
      { label: "Adam", change: {} },
      { label: "momentum SGD", change: { optimizer: "sgd" } },
    ],
  },
  {
    name: "viscosity",
    title: "Viscosity",
    tasks: ["burgers"],
    levels: [
      { label: "ν = 0.1", change: {} },
      { label: "ν = 0.05", change: { viscosity: 0.05 } },
      { label: "ν = 0.01", change: { viscosity: 0.01 } },
    ],
  },
];

export const CONTROLLED_NAMES: readonly string[] = TASK_NAMES.slice(0, 3);
export const PUBLIC_NAMES: readonly string[] = TASK_NAMES.slice(3);
export const isControlled = (task: string): boolean => CONTROLLED_NAMES.includes(task);

/** Whether an ablation is one of this task. */
export function isAblated(task: string, { tasks }: Ablation): boolean {
  return tasks?.includes(paperTask(task)) ?? true;
}

export function sameSetting(a: Setting, b: Setting): boolean {
  return (
    a.task === b.task && a.viscosity === b.viscosity && a.clients === b.clients && a.optimizer === b.optimizer
  );
}

/** Records of one setting whose other options are the paper's; others are shown by `withOwnSettings`. */
export function inSetting<Row extends SeedRecord>(records: readonly Row[], setting: Setting): Row[] {
  return records.filter((record) => record.changed === "" && sameSetting(record, setting));
}

/** Tasks with records in their main setting, the paper's first. */
export function mainTasks(records: readonly SeedRecord[]): string[] {
  return tasksOf(records).filter((task) => inSetting(records, settingOf(task)).length > 0);
}

/** All tasks that records are about, the paper's first. */
export function tasksOf(records: readonly SeedRecord[]): string[] {
  const found = new Set(records.map((record) => record.task));
  const known = TASK_NAMES.filter((task) => found.delete(task));
  return [...known, ...[...found].sort()];
}

/** A task's name as a heading. */
export function taskTitle(task: string): string {
  const [, imported, name] = /^(imported-)?(.*)$/.exec(task)!;
  if (!TASK_NAMES.includes(name as TaskName)) return task;
  const { title } = taskOf(name as TaskName);
  return imported ? title.replace(" (simulated)", "").concat(" (imported)") : title;
}

/** What the paper calls a task; public ones with the data that it took. */
export function paperTitle(task: string): string {
  const data = PAPER_DATA[paperTask(task)];
  const title = taskTitle(paperTask(task));
  return data ? `${title.replace(" (simulated)", "")} (${data})` : title;
}

/** What the paper says of the excess error in a setting. */
export function paperExcess(setting: Setting, alpha: number): PaperExcess | undefined {
  return PAPER_EXCESS_ERRORS.find((entry) => entry.alpha === alpha && matches(entry, setting));
}

/** The paper's relative error of the reference in a setting, in percent. */
export function paperReferenceError(setting: Setting): number | undefined {
  return PAPER_REFERENCE_ERRORS.find((entry) => matches(entry, setting))?.percent;
}

function matches(entry: Partial<Setting>, setting: Setting): boolean {
  const { task, viscosity, clients, optimizer } = settingOf(setting.task, {
    ...(entry.viscosity !== undefined && { viscosity: entry.viscosity }),
    ...(entry.clients !== undefined && { clients: entry.clients }),
    ...(entry.optimizer !== undefined && { optimizer: entry.optimizer }),
  });
  return (
    entry.task === paperTask(task) &&
    setting.viscosity === viscosity &&
    setting.clients === clients &&
    setting.optimizer === optimizer
  );
}
