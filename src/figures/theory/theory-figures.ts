import type { Evidences, PredictionName } from "../../theory/predictions.js";
import { concentrationFigure } from "./concentration-law.js";
import { transportFigure } from "./transport-band.js";

/** The figure of each prediction, drawn from its evidence. */
export const THEORY_FIGURES: { readonly [Name in PredictionName]: (evidence: Evidences[Name]) => string } = {
  "concentration-law": concentrationFigure,
  "transport-band": transportFigure,
};
