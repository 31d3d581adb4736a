import { concentrationPrediction } from "./concentration.js";
import { type ConcentrationEvidence, gatherConcentration } from "./concentration-evidence.js";
import type { Prediction } from "./prediction.js";
import type { OnProgress, TheorySetting } from "./setting.js";
import { transportPrediction } from "./transport-band.js";
import { gatherTransport, type TransportEvidence } from "./transport-evidence.js";

/** How a prediction is checked: evidence is gathered, which takes a while, then judged and drawn. */
export interface Check<Evidence> {
  readonly gather: (setting: TheorySetting, onProgress?: OnProgress) => Evidence | Promise<Evidence>;
  readonly conclude: (evidence: Evidence) => Prediction;
}

/** The evidence of each prediction. */
export interface Evidences {
  readonly "concentration-law": ConcentrationEvidence;
  readonly "transport-band": TransportEvidence;
}

export type PredictionName = keyof Evidences;

/** The predictions of app:predictions by name, in the paper's order. Figures have the same names. */
export const PREDICTIONS: { readonly [Name in PredictionName]: Check<Evidences[Name]> } = {
  "concentration-law": { gather: gatherConcentration, conclude: concentrationPrediction },
  "transport-band": { gather: gatherTransport, conclude: transportPrediction },
};

export const PREDICTION_NAMES = Object.keys(PREDICTIONS) as readonly PredictionName[];
