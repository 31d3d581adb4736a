import { alignmentPrediction } from "./alignment.js";
import { concentrationPrediction } from "./concentration.js";
import { type AlignmentEvidence, gatherAlignment } from "./evidence/alignment-evidence.js";
import { type ConcentrationEvidence, gatherConcentration } from "./evidence/concentration-evidence.js";
import { gatherGradientTransfer, type TransferEvidence } from "./evidence/gradient-transfer-evidence.js";
import { type DispersionEvidence, gatherLocalDispersion } from "./evidence/local-dispersion-evidence.js";
import { gatherRiskSign, type RiskEvidence } from "./evidence/risk-sign-evidence.js";
import { type DriftEvidence, gatherTrajectoryDrift } from "./evidence/trajectory-drift-evidence.js";
import { gatherTransport, type TransportEvidence } from "./evidence/transport-evidence.js";
import { gradientTransferPrediction } from "./gradient-transfer.js";
import { localDispersionPrediction } from "./local-dispersion.js";
import type { Prediction } from "./prediction.js";
import { riskSignPrediction } from "./risk-sign.js";
import type { OnProgress, TheorySetting } from "./setting.js";
import type { TheoryProblems } from "./theory-problem.js";
import { trajectoryDriftPrediction } from "./trajectory-drift.js";
import { transportPrediction } from "./transport-band.js";

/** A setting whose operators are opened, and trained, when a prediction first asks for them. */
export interface OpenSetting extends TheorySetting {
  readonly problems: () => Promise<TheoryProblems>;
}

/** How a prediction is checked: evidence is gathered, which takes a while, then judged and drawn. */
export interface Check<Evidence> {
  readonly gather: (setting: OpenSetting, onProgress?: OnProgress) => Evidence | Promise<Evidence>;
  readonly conclude: (evidence: Evidence) => Prediction;
}

/** The evidence of each prediction. */
export interface Evidences {
  readonly "concentration-law": ConcentrationEvidence;
  readonly "transport-band": TransportEvidence;
  readonly "gradient-transfer": TransferEvidence;
  readonly "local-dispersion": DispersionEvidence;
  readonly "trajectory-drift": DriftEvidence;
  readonly alignment: AlignmentEvidence;
  readonly "risk-sign": RiskEvidence;
}

export type PredictionName = keyof Evidences;

/** The predictions of app:predictions by name, in the paper's order. Figures have the same names. */
export const PREDICTIONS: { readonly [Name in PredictionName]: Check<Evidences[Name]> } = {
  "concentration-law": { gather: gatherConcentration, conclude: concentrationPrediction },
  "transport-band": { gather: gatherTransport, conclude: transportPrediction },
  "gradient-transfer": { gather: onProblems(gatherGradientTransfer), conclude: gradientTransferPrediction },
  "local-dispersion": { gather: onProblems(gatherLocalDispersion), conclude: localDispersionPrediction },
  "trajectory-drift": { gather: onProblems(gatherTrajectoryDrift), conclude: trajectoryDriftPrediction },
  alignment: { gather: onProblems(gatherAlignment), conclude: alignmentPrediction },
  "risk-sign": { gather: onProblems(gatherRiskSign), conclude: riskSignPrediction },
};

export const PREDICTION_NAMES = Object.keys(PREDICTIONS) as readonly PredictionName[];

/** A check that needs the operators. */
function onProblems<Evidence>(
  gather: (problems: TheoryProblems, onProgress?: OnProgress) => Promise<Evidence>,
): Check<Evidence>["gather"] {
  return async ({ problems }, onProgress) => gather(await problems(), onProgress);
}
