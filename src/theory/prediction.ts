import type { Table } from "../analysis/table.js";

/** What a check says: a statement whose assumption is not met is neither confirmed nor refuted. */
export type Verdict = "holds" | "fails" | "does not apply";

/** One statement that can be wrong, and what came of it. */
export interface Finding {
  readonly statement: string;
  readonly verdict: Verdict;
  /** The number that decides, in words. */
  readonly decides: string;
}

/** How a statement begins that the paper does not make. */
export const BEYOND = "Beyond the paper: ";

/** One of the predictions of app:predictions, with the evidence that was gathered for it. */
export interface Prediction {
  /** In kebab-case; also the figure's file name. */
  readonly name: string;
  readonly title: string;
  /** In words, for a lecture. */
  readonly claim: string;
  /** The paper's labels, such as eq:app-exact-alpha. */
  readonly labels: readonly string[];
  /** How verdicts are reached, decided before anything was measured; a rule that came later says so. */
  readonly rules: readonly string[];
  readonly findings: readonly Finding[];
  readonly tables: readonly Table[];
  /** Of the figure. */
  readonly caption: string;
}

/** The verdict of a check that either passes or does not. */
export function verdictOf(passed: boolean): Verdict {
  return passed ? "holds" : "fails";
}
