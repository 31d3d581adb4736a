import type { Relation, StatedExcess } from "../analysis/published.js";
import { type Setting, settingOf } from "./settings.js";
import { PAPER_DATA, paperTask } from "./titles.js";

/** Partition statistics that the paper states in words or in tab:alpha001-summary. */
export interface PaperStatistic {
  readonly alpha: number;
  /** Undefined for a range over the three controlled tasks. Public tasks: on the data that the paper took. */
  readonly task?: string;
  readonly low: number;
  readonly high: number;
}

/** Mean solution distance D_sol (sec:result-partition, tab:alpha001-summary). */
export const PAPER_SOLUTION_DISTANCE: readonly PaperStatistic[] = [
  { alpha: 100, low: 0.15, high: 0.17 },
  { alpha: 1, low: 0.45, high: 0.5 },
  { alpha: 0.01, task: "antiderivative", low: 1.133, high: 1.133 },
  { alpha: 0.01, task: "burgers", low: 0.955, high: 0.955 },
  { alpha: 0.01, task: "diffusion-reaction", low: 0.906, high: 0.906 },
  { alpha: 100, task: "darcy", low: 0.17, high: 0.19 },
  { alpha: 100, task: "dam-break", low: 0.17, high: 0.19 },
  { alpha: 100, task: "cylinder", low: 0.48, high: 0.48 },
  { alpha: 100, task: "flat-velocity", low: 0.17, high: 0.19 },
  { alpha: 0.01, task: "darcy", low: 1.041, high: 1.041 },
  { alpha: 0.01, task: "dam-break", low: 1.043, high: 1.043 },
  { alpha: 0.01, task: "cylinder", low: 1.0, high: 1.0 },
  { alpha: 0.01, task: "flat-velocity", low: 0.952, high: 0.952 },
];

/** What the paper says of a task's D_sol, alone or among the controlled tasks. */
export function paperDistances(given: string): readonly PaperStatistic[] {
  const task = paperTask(given);
  const controlled = task in PAPER_SUMMARY && !(task in PAPER_DATA);
  return PAPER_SOLUTION_DISTANCE.filter((entry) => (entry.task ?? (controlled && task)) === task);
}

/** The paper's grid. */
export const PAPER_ALPHAS: readonly number[] = [100, 10, 1, 0.1, 0.01];
export const PAPER_SEEDS: readonly number[] = [0, 1, 42, 999, 2026];
/** The near-IID reference that every other concentration is compared with. */
export const REFERENCE_ALPHA = 100;
/** The round at which every "final" value of the paper is taken. */
export const PAPER_ROUNDS = 1000;

/** Means over five seeds at alpha = 0.01 after 1000 rounds (tab:alpha001-summary). */
export const PAPER_SUMMARY: Readonly<
  Record<string, { readonly d_sol: number; readonly h_g_norm: number; readonly d_theta: number }>
> = {
  antiderivative: { d_sol: 1.133, h_g_norm: 0.528, d_theta: 0.367 },
  burgers: { d_sol: 0.955, h_g_norm: 0.488, d_theta: 0.704 },
  "diffusion-reaction": { d_sol: 0.906, h_g_norm: 0.619, d_theta: 0.513 },
  darcy: { d_sol: 1.041, h_g_norm: 0.966, d_theta: 1.234 },
  "dam-break": { d_sol: 1.043, h_g_norm: 0.658, d_theta: 1.009 },
  cylinder: { d_sol: 1.0, h_g_norm: 0.974, d_theta: 1.275 },
  "flat-velocity": { d_sol: 0.952, h_g_norm: 0.255, d_theta: 0.753 },
};

/** Relative error at alpha = 100 after 1000 rounds, in percent (tab:alpha001-summary, sec:result-ablation). */
export const PAPER_REFERENCE_ERRORS: readonly (Partial<Setting> & { readonly percent: number })[] = [
  { task: "antiderivative", percent: 4.419 },
  { task: "burgers", percent: 18.969 },
  { task: "diffusion-reaction", percent: 4.1 },
  { task: "darcy", percent: 10.381 },
  { task: "dam-break", percent: 0.123 },
  { task: "cylinder", percent: 12.114 },
  { task: "flat-velocity", percent: 6.313 },
  { task: "antiderivative", optimizer: "sgd", percent: 11.54 },
  { task: "burgers", optimizer: "sgd", percent: 24.34 },
  { task: "diffusion-reaction", optimizer: "sgd", percent: 12.67 },
];

/** What the paper says of an excess error at a concentration. */
export interface PaperExcess extends StatedExcess {
  readonly alpha: number;
}

/**
 * Excess errors after 1000 rounds (tab:alpha001-summary, sec:result-controlled, sec:result-ablation,
 * sec:result-public). A setting is
 * the main one, 10 clients, Adam, viscosity 0.1, but for what is named.
 */
export const PAPER_EXCESS_ERRORS: readonly (Partial<Setting> & PaperExcess)[] = [
  { task: "antiderivative", alpha: 0.01, mean: 0.23, low: -0.292, high: 0.751, excludesZero: false },
  { task: "burgers", alpha: 0.1, mean: 0.645, low: 0.271, high: 1.018, excludesZero: true },
  { task: "burgers", alpha: 0.01, mean: 0.916, low: 0.238, high: 1.595, excludesZero: true },
  { task: "diffusion-reaction", alpha: 0.01, mean: 0.218, low: 0.115, high: 0.32, excludesZero: true },
  { task: "darcy", alpha: 0.01, mean: 0.465, low: -0.254, high: 1.184, excludesZero: false },
  { task: "dam-break", alpha: 0.01, mean: 0.033, low: 0.013, high: 0.053, excludesZero: true },
  { task: "cylinder", alpha: 0.01, mean: 1.091, low: 0.617, high: 1.565, excludesZero: true },
  { task: "flat-velocity", alpha: 0.01, mean: 0.228, low: -0.038, high: 0.495, excludesZero: false },
  { task: "antiderivative", clients: 20, alpha: 0.01, excludesZero: false },
  { task: "burgers", clients: 20, alpha: 0.01, mean: 1.151, excludesZero: true },
  { task: "diffusion-reaction", clients: 20, alpha: 0.01, mean: 0.367 },
  { task: "antiderivative", optimizer: "sgd", alpha: 0.01, excludesZero: false },
  { task: "burgers", optimizer: "sgd", alpha: 0.01, excludesZero: false },
  { task: "diffusion-reaction", optimizer: "sgd", alpha: 0.01, excludesZero: false },
  { task: "burgers", viscosity: 0.05, alpha: 0.01, mean: 3.007, low: 1.963, high: 4.052, excludesZero: true },
  { task: "burgers", viscosity: 0.01, alpha: 0.01, mean: 4.157, low: 3.085, high: 5.228, excludesZero: true },
];

/** Pearson's correlations with the solution distance and with the input-space W1 (tab:distance-comparison). */
export const PAPER_PEARSON: Readonly<
  Record<string, Readonly<Record<Relation, { readonly solution: number; readonly input: number }>>>
> = {
  antiderivative: {
    h_g_norm: { solution: 0.81, input: 0.83 },
    d_theta: { solution: 0.79, input: 0.76 },
    excess_error: { solution: 0.2, input: 0.23 },
  },
  burgers: {
    h_g_norm: { solution: 0.88, input: 0.86 },
    d_theta: { solution: 0.77, input: 0.73 },
    excess_error: { solution: 0.72, input: 0.75 },
  },
  "diffusion-reaction": {
    h_g_norm: { solution: 0.84, input: 0.84 },
    d_theta: { solution: 0.72, input: 0.65 },
    excess_error: { solution: 0.4, input: 0.54 },
  },
};

/** Spearman's correlations with the solution distance, without alpha = 100 (sec:result-controlled, sec:result-public). */
export const PAPER_SPEARMAN: Readonly<Record<string, Readonly<Partial<Record<Relation, number>>>>> = {
  antiderivative: { h_g_norm: 0.69, d_theta: 0.66, excess_error: 0.2 },
  burgers: { h_g_norm: 0.81, d_theta: 0.65, excess_error: 0.79 },
  "diffusion-reaction": { h_g_norm: 0.83, d_theta: 0.72, excess_error: 0.59 },
  darcy: { d_theta: 0.9, excess_error: 0.03 },
  "dam-break": { d_theta: 0.87, excess_error: 0.76 },
  cylinder: { d_theta: 0.47 },
  "flat-velocity": { d_theta: 0.88 },
};

/** What the paper says of rank correlations of the public tasks that it does not state one by one (sec:result-public). */
export const PAPER_PUBLIC_RANKS: Readonly<
  Record<Relation, { readonly low: number; readonly high: number; readonly text: string }>
> = {
  h_g_norm: { low: 0.6, high: 0.91, text: "within 0.60–0.91" },
  d_theta: { low: 0.47, high: 0.9, text: "within 0.47–0.90" },
  excess_error: { low: 0.03, high: 0.76, text: "within 0.03–0.76" },
};

/** Early penalties of public tasks in percentage points, and what was left of them after 1000 rounds (sec:result-public). */
export const PAPER_TRANSIENTS: Readonly<
  Record<
    string,
    { readonly low: number; readonly high: number; readonly early: string; readonly late: number }
  >
> = {
  darcy: { low: 4, high: 5, early: "4–5 pp", late: 0.465 },
  "flat-velocity": { low: 1.5, high: 1.5, early: "near 1.5 pp", late: 0.228 },
};

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
