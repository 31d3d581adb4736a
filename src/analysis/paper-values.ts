/** Partition statistics that the paper states in words or in tab:alpha001-summary. */
export interface PaperStatistic {
  readonly alpha: number;
  /** Task, or undefined for a range over the three controlled tasks. */
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
];

/** The paper's grid. */
export const PAPER_ALPHAS: readonly number[] = [100, 10, 1, 0.1, 0.01];
export const PAPER_SEEDS: readonly number[] = [0, 1, 42, 999, 2026];
