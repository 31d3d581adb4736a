/** The answer that records give to one of the paper's research questions. */
export interface Answer {
  readonly id: "RQ1" | "RQ2" | "RQ3" | "RQ4";
  readonly question: string;
  /** The answer in a sentence. */
  readonly short: string;
  readonly sentences: readonly string[];
  /** What the question also asks and these records cannot say. */
  readonly missing: readonly string[];
}
