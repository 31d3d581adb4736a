/** What records say of a question, in the notation of `notation.ts`. */
export interface Answer {
  /** One or two sentences. */
  readonly short: string;
  /** The numbers behind it, a sentence each. */
  readonly sentences: readonly string[];
  /** Parts of the question that these records cannot answer. */
  readonly missing: readonly string[];
}

/** An answer to a question that a publication asks. */
export interface QuestionedAnswer extends Answer {
  /** "RQ1". */
  readonly id: string;
  readonly question: string;
}
