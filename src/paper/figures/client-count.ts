import { roundWords } from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATIONS } from "../settings.js";
import { settingCurves } from "./setting-curves.js";

const ABLATION = ABLATIONS.find(({ name }) => name === "clients")!;

/** Excess error with 10 and with 20 clients (fig:ablation-clients). */
export function clientCountFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const curves = settingCurves(records, ABLATION);
  if (curves === undefined) return undefined;
  return {
    name: "ablation-clients",
    title: "Client count",
    caption:
      `Excess error with 10 and with 20 clients, after ${roundWords(records)}. ` +
      "Both use sample-weighted FedAvg and references of the same seed and client count. " +
      curves.words,
    svg: curves.svg,
  };
}
