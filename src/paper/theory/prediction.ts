import type { Table } from "../../analysis/tables/table.js";

/**
 * The outcome of a check. If an assumption is not met, the statement is neither confirmed nor refuted: it does not
 * apply.
 */
export type Verdict = "holds" | "fails" | "does not apply";

/** A falsifiable statement and its verdict. */
export interface Finding {
  readonly statement: string;
  readonly verdict: Verdict;
  /** The deciding number, in words. */
  readonly decides: string;
}

/** How a statement begins that the paper does not make. */
export const BEYOND = "Beyond the paper: ";

/** One prediction of app:predictions, with the evidence for it. */
export interface Prediction {
  /** Name in kebab-case; also the file name of the figure. */
  readonly name: string;
  readonly title: string;
  /** The claim in words, as in a lecture. */
  readonly claim: string;
  /** Labels in the paper, for example eq:app-exact-alpha. */
  readonly labels: readonly string[];
  /** Rules for the verdicts, fixed before any measurement. A rule that was added later says so. */
  readonly rules: readonly string[];
  readonly findings: readonly Finding[];
  readonly tables: readonly Table[];
  /** Caption of the figure. */
  readonly caption: string;
}

/** The verdict of a check that either passes or does not. */
export function verdictOf(passed: boolean): Verdict {
  return passed ? "holds" : "fails";
}
