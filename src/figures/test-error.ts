import {
  alphasOf,
  haveReference,
  overSeeds,
  referenceWords,
  roundsOf,
  seedsOf,
} from "../analysis/observations.js";
import { seedWords } from "../analysis/phrases.js";
import type { RecordFigure } from "../analysis/report.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "../analysis/settings.js";
import type { SeedRecord } from "../records/seed-record.js";
import { ARROWHEAD_WORDS } from "./cut-intervals.js";
import { goesBelow, type RoundCurve, roundCurves, type ValueAxis } from "./round-curves.js";
import { logTicks } from "./ticks.js";

/** Relative test error over rounds on a logarithmic axis (fig:formal-test-error). */
export function testErrorFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const panels = mainTasks(records).map((task) => {
    const curves = overRounds(inSetting(records, settingOf(task)), "test_error", 100);
    return { title: taskTitle(task), curves, axis: logAxis(curves) };
  });
  if (panels.length === 0) return undefined;
  const name = "Test error over communication rounds";
  const isCut = panels.some(({ curves, axis }) =>
    curves.some(({ points }) => points.some((point) => goesBelow(point, axis))),
  );
  return {
    name: "test-error",
    title: "Test error",
    caption:
      "Relative L_2 test error of sample-weighted FedAvg over communication rounds" +
      (haveReference(records) ? `; ${referenceWords(records)} is the near-IID reference` : "") +
      `. Curves are means over up to ${seedWords(seedsOf(records).length)} at the recorded checkpoints ` +
      "(ticks), bands two-sided 95 % Student-t intervals. Rounds are on a log(1 + r) axis." +
      (isCut ? ` ${ARROWHEAD_WORDS}` : ""),
    svg: roundCurves({ name, yLabel: "relative test error (%)", panels }),
  };
}

/** Means over seeds at every checkpoint, a curve for each concentration. */
export function overRounds(
  records: readonly SeedRecord[],
  measurement: "test_error" | "excess_error",
  scale = 1,
): RoundCurve[] {
  return alphasOf(records).map((alpha) => ({
    alpha,
    points: roundsOf(records).flatMap((round) => {
      const here = records.filter((record) => record.round === round);
      const summary = overSeeds(here, alpha, measurement, scale);
      return summary ? [{ round, ...summary }] : [];
    }),
  }));
}

function logAxis(curves: readonly RoundCurve[]): ValueAxis {
  const points = curves.flatMap((curve) => curve.points);
  const tops = points.flatMap(({ mean, high }) => [mean, high ?? mean]);
  // An interval may reach below zero, where a logarithm ends: it is then cut at the axis, with an arrowhead.
  const bottoms = points.flatMap(({ mean, low }) => [mean, low !== null && low > mean / 3 ? low : mean]);
  const positive = bottoms.filter((value) => value > 0);
  const low = (positive.length > 0 ? Math.min(...positive) : 1) / 1.2;
  const high = Math.max(low * 2, ...tops) * 1.1;
  return {
    scale: { type: "log", domain: [low, high] },
    ticks: logTicks(low, high),
    label: String,
  };
}
