/** The records' answer to one of the paper's research questions. */
export interface Answer {
  readonly id: "RQ1" | "RQ2" | "RQ3" | "RQ4";
  readonly question: string;
  /** One-sentence answer. */
  readonly short: string;
  readonly sentences: readonly string[];
  /** Parts of the question that these records cannot answer. */
  readonly missing: readonly string[];
}
