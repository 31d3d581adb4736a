import { seedsOf } from "../analysis/observations.js";
import type { RecordFigure } from "../analysis/report.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "../analysis/settings.js";
import type { RunTrace } from "../records/run-trace.js";
import type { SeedRecord } from "../records/seed-record.js";
import { ARROWHEAD_WORDS } from "./cut-intervals.js";
import { hasCut, roundCurves } from "./round-curves.js";
import { curveWords, logAxis, overRounds } from "./test-error.js";

/** Training loss over rounds, as far as the folders of the runs are there. */
export function trainingLossFigure(
  records: readonly SeedRecord[],
  traces: readonly RunTrace[],
): RecordFigure | undefined {
  const losses = new Map(
    traces.flatMap(({ run_id, losses }) =>
      losses.map(({ round, train_loss }) => [`${run_id} ${round}`, train_loss] as const),
    ),
  );
  const rows = records.flatMap((record) => {
    const train_loss = losses.get(`${record.run_id} ${record.round}`);
    return train_loss === undefined ? [] : [{ ...record, train_loss }];
  });
  const panels = mainTasks(rows).map((task) => {
    const runs = inSetting(rows, settingOf(task));
    const curves = overRounds(runs, ({ train_loss }) => train_loss);
    return { title: taskTitle(task), curves, axis: logAxis(curves) };
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
