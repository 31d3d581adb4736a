import { seedsOf } from "../analysis/observations.js";
import type { RecordFigure } from "../analysis/report.js";
import type { Subject } from "../analysis/subject.js";
import { ARROWHEAD_WORDS } from "./cut-intervals.js";
import type { FigureOptions } from "./figure-options.js";
import { hasCut, roundCurves } from "./round-curves.js";
import { curveWords, logAxis, overRounds } from "./test-error.js";

/** Training loss over rounds, as far as the folders of the runs are there. */
export function trainingLossFigure(
  { cases }: Subject,
  { traces = [] }: FigureOptions,
): RecordFigure | undefined {
  const losses = new Map(
    traces.flatMap(({ run_id, losses }) =>
      losses.map(({ round, train_loss }) => [`${run_id} ${round}`, train_loss] as const),
    ),
  );
  const traced = cases.map(({ title, records }) => ({
    title,
    rows: records.flatMap((record) => {
      const train_loss = losses.get(`${record.run_id} ${record.round}`);
      return train_loss === undefined ? [] : [{ ...record, train_loss }];
    }),
  }));
  const rows = traced.flatMap((one) => one.rows);
  const panels = traced
    .filter((one) => one.rows.length > 0)
    .map(({ title, rows: runs }) => {
      const curves = overRounds(runs, ({ train_loss }) => train_loss);
      return { title, curves, axis: logAxis(curves) };
    });
  if (panels.length === 0) return undefined;
  const name = "Training loss over communication rounds";
  return {
    name: "training-loss",
    title: "Training loss",
    caption:
      "Mean squared error of the aggregated model over all training samples, in squared units of the responses. " +
      `${curveWords(panels, seedsOf(rows).length)} Rounds are on a log(1 + r) axis.` +
      (hasCut(panels) ? ` ${ARROWHEAD_WORDS}` : ""),
    svg: roundCurves({ name, yLabel: "training loss", panels }),
  };
}
