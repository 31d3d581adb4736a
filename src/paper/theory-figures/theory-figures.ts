import type { Evidences, PredictionName } from "../theory/predictions.js";
import { alignmentFigure } from "./alignment.js";
import { concentrationFigure } from "./concentration-law.js";
import { gradientTransferFigure } from "./gradient-transfer.js";
import { localDispersionFigure } from "./local-dispersion.js";
import { riskSignFigure } from "./risk-sign.js";
import { trajectoryDriftFigure } from "./trajectory-drift.js";
import { transportFigure } from "./transport-band.js";

/** The figure of each prediction, drawn from its evidence. */
export const THEORY_FIGURES: { readonly [Name in PredictionName]: (evidence: Evidences[Name]) => string } = {
  "concentration-law": concentrationFigure,
  "transport-band": transportFigure,
  "gradient-transfer": gradientTransferFigure,
  "local-dispersion": localDispersionFigure,
  "trajectory-drift": trajectoryDriftFigure,
  alignment: alignmentFigure,
  "risk-sign": riskSignFigure,
};
