/** The paper's tasks: its controlled ones (tab:controlled-tasks), then its public ones (tab:public-tasks). */
const CONTROLLED_TITLES: Readonly<Record<string, string>> = {
  antiderivative: "Antiderivative",
  burgers: "Burgers",
  "diffusion-reaction": "Diffusion-reaction",
};

const PUBLIC_TITLES: Readonly<Record<string, string>> = {
  darcy: "Darcy flow (simulated)",
  "dam-break": "Dam break (simulated)",
  cylinder: "Cylinder flow (simulated)",
  "flat-velocity": "Flat velocity (simulated)",
};

const TITLES: Readonly<Record<string, string>> = { ...CONTROLLED_TITLES, ...PUBLIC_TITLES };

export const CONTROLLED_NAMES: readonly string[] = Object.keys(CONTROLLED_TITLES);
export const PUBLIC_NAMES: readonly string[] = Object.keys(PUBLIC_TITLES);
export const PAPER_TASKS: readonly string[] = [...CONTROLLED_NAMES, ...PUBLIC_NAMES];
export const isControlled = (task: string): boolean => CONTROLLED_NAMES.includes(task);

/** The data that the paper took for the public tasks (tab:public-tasks); ours of the same name are simulated. */
export const PAPER_DATA: Readonly<Record<string, string>> = {
  darcy: "PDEBench",
  "dam-break": "PDEBench",
  cylinder: "CFDBench",
  "flat-velocity": "OpenFWI FlatVel-A",
};

/** The task that the paper speaks of, for imported data and for simulated ones. */
export const paperTask = (task: string): string => task.replace(/^imported-/, "");

/** The title of data that the paper knows, simulated or imported. */
export function titleOf(task: string): string | undefined {
  const title = TITLES[paperTask(task)];
  if (title === undefined || task === paperTask(task)) return title;
  return `${title.replace(" (simulated)", "")} (imported)`;
}

/** A task's name as a heading. */
export const taskTitle = (task: string): string => titleOf(task) ?? task;

/** What the paper calls a task; public ones with the data that it took. */
export function paperTitle(task: string): string {
  const data = PAPER_DATA[paperTask(task)];
  const title = taskTitle(paperTask(task));
  return data ? `${title.replace(" (simulated)", "")} (${data})` : title;
}
