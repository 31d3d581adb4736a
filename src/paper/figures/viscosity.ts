import { roundWords } from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATIONS } from "../settings.js";
import { settingCurves } from "./setting-curves.js";

const ABLATION = ABLATIONS.find(({ name }) => name === "viscosity")!;

/** Excess error on Burgers' equation at three viscosities (fig:ablation-viscosity). */
export function viscosityFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const curves = settingCurves(records, ABLATION);
  if (curves === undefined) return undefined;
  return {
    name: "ablation-viscosity",
    title: "Viscosity",
    caption:
      `Excess error on Burgers' equation at three viscosities, after ${roundWords(records)}. ` +
      "Lower viscosity makes sharper solutions. " +
      curves.words,
    svg: curves.svg,
  };
}
