import { concentrationPrediction } from "./concentration.js";
import { gatherConcentration } from "./concentration-evidence.js";
import type { Prediction } from "./prediction.js";
import type { OnProgress, TheorySetting } from "./setting.js";
import { transportPrediction } from "./transport-band.js";
import { gatherTransport } from "./transport-evidence.js";

/** How a prediction is checked: evidence is gathered, which takes a while, then judged and drawn. */
export interface Check<Evidence> {
  readonly gather: (setting: TheorySetting, onProgress?: OnProgress) => Evidence | Promise<Evidence>;
  readonly conclude: (evidence: Evidence) => Prediction;
}

/** One whose evidence is its own affair. */
interface SomeCheck extends Pick<Check<never>, "conclude"> {
  readonly gather: Check<unknown>["gather"];
}

/** The predictions of app:predictions by name, in the paper's order. Figures have the same names. */
export const PREDICTIONS = {
  "concentration-law": { gather: gatherConcentration, conclude: concentrationPrediction },
  "transport-band": { gather: gatherTransport, conclude: transportPrediction },
} satisfies Readonly<Record<string, SomeCheck>>;

export type PredictionName = keyof typeof PREDICTIONS;

/** The evidence of a prediction. */
export type EvidenceOf<Name extends PredictionName> = Parameters<(typeof PREDICTIONS)[Name]["conclude"]>[0];
