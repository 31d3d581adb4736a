import type { Prediction } from "./prediction.js";
import type { OnProgress, TheorySetting } from "./setting.js";

/** How a prediction is checked: evidence is gathered, which takes a while, then judged and drawn. */
export interface Check<Evidence> {
  readonly gather: (setting: TheorySetting, onProgress?: OnProgress) => Evidence | Promise<Evidence>;
  readonly conclude: (evidence: Evidence) => Prediction;
}

/** The predictions of app:predictions by name, in the paper's order. Figures have the same names. */
export const PREDICTIONS = {} satisfies Readonly<Record<string, Check<never>>>;

export type PredictionName = keyof typeof PREDICTIONS;

/** The evidence of a prediction. */
export type EvidenceOf<Name extends PredictionName> =
  (typeof PREDICTIONS)[Name] extends Check<infer Evidence> ? Evidence : never;
