import type { Group } from "../analysis/cases.js";
import type { SeedRecord } from "../records/seed-record.js";
import { PAPER_TASKS, paperTask } from "./titles.js";

/** What the paper varies between its runs, apart from concentration and seed. */
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

/** Whether an ablation is one of this task. */
export function isAblated(task: string, { tasks }: Ablation): boolean {
  return tasks?.includes(paperTask(task)) ?? true;
}

/** The settings of runs as the paper has them. */
export function paperSetting({ task, settings }: Pick<Group, "task" | "settings">): Setting {
  const { viscosity = null, clients, optimizer } = settings;
  return {
    task,
    viscosity: viscosity as number | null,
    clients: clients as number,
    optimizer: optimizer as string,
  };
}

export function sameSetting(a: Setting, b: Setting): boolean {
  return (
    a.task === b.task && a.viscosity === b.viscosity && a.clients === b.clients && a.optimizer === b.optimizer
  );
}

/** Records of one setting. Pass records of runs whose other options are the paper's (`paperRecords`). */
export function inSetting<Row extends SeedRecord>(records: readonly Row[], setting: Setting): Row[] {
  return records.filter((record) => sameSetting(paperSetting(record), setting));
}

/** Tasks with records in their main setting, in the paper's order. */
export function mainTasks(records: readonly SeedRecord[]): string[] {
  return tasksOf(records).filter((task) => inSetting(records, settingOf(task)).length > 0);
}

/** All tasks that records are about, in the paper's order; imported ones last. */
export function tasksOf(records: readonly SeedRecord[]): string[] {
  const found = new Set(records.map((record) => record.task));
  const known = PAPER_TASKS.filter((task) => found.delete(task));
  return [...known, ...[...found].sort()];
}
