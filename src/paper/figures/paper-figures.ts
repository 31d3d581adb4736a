import type { RecordFigure } from "../../analysis/report.js";
import type { Subject } from "../../analysis/subject.js";
import { paperRecords } from "../paper-groups.js";
import { besidePaperFigure } from "./beside-paper.js";
import { clientCountFigure } from "./client-count.js";
import { optimizerFigure } from "./optimizer.js";
import { viscosityFigure } from "./viscosity.js";

/** Figures of the paper's ablations, and of all its settings beside its values. */
export function paperFigures({ records }: Pick<Subject, "records">): RecordFigure[] {
  const papers = paperRecords(records);
  return [clientCountFigure, optimizerFigure, viscosityFigure, besidePaperFigure].flatMap(
    (make) => make(papers) ?? [],
  );
}
