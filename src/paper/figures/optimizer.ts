import { roundWords } from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATIONS } from "../settings.js";
import { settingCurves } from "./setting-curves.js";

const ABLATION = ABLATIONS.find(({ name }) => name === "optimizer")!;

/** Excess error with Adam (learning rate 0.001) and with SGD (learning rate 0.01, momentum 0.9) (fig:ablation-optimizer). */
export function optimizerFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const curves = settingCurves(records, ABLATION);
  if (curves === undefined) return undefined;
  return {
    name: "ablation-optimizer",
    title: "Optimiser",
    caption:
      `Excess error with Adam (learning rate 0.001) and with SGD (learning rate 0.01, momentum 0.9), after ${roundWords(records)}. ` +
      "Each is compared with a reference of the same seed and optimiser. " +
      curves.words,
    svg: curves.svg,
  };
}
