import { alphasOf, haveReference, referenceWords, roundsOf, seedsOf } from "../analysis/observations.js";
import { seedWords } from "../analysis/phrases.js";
import type { RecordFigure } from "../analysis/report.js";
import { strategyOf } from "../analysis/strategy-names.js";
import type { Subject } from "../analysis/subject.js";
import type { SeedRecord } from "../records/seed-record.js";
import { ARROWHEAD_WORDS } from "./cut-intervals.js";
import { hasCut, type RoundCurve, roundCurves, type ValueAxis } from "./round-curves.js";
import { isShownBySeed, seedSpread, spreadWords } from "./seed-spread.js";
import { logTicks } from "./ticks.js";

/** Relative test error over rounds on a logarithmic axis (fig:formal-test-error). */
export function testErrorFigure({ records, cases }: Subject): RecordFigure | undefined {
  const panels = cases.map(({ title, records: own }) => {
    const curves = overRounds(own, ({ test_error }) => 100 * test_error);
    return { title, curves, axis: logAxis(curves) };
  });
  if (panels.length === 0) return undefined;
  const name = "Test error over communication rounds";
  return {
    name: "test-error",
    title: "Test error",
    caption:
      `Relative L_2 test error of ${trainedWords(records)} over communication rounds` +
      (haveReference(records) ? `; ${referenceWords(records)} is the near-IID reference` : "") +
      `. ${curveWords(panels, seedsOf(records).length)} Rounds are on a log(1 + r) axis.` +
      (hasCut(panels) ? ` ${ARROWHEAD_WORDS}` : ""),
    svg: roundCurves({ name, yLabel: "relative test error (%)", panels }),
  };
}

/** "sample-weighted FedAvg" where all runs are of it, else what all strategies have. */
function trainedWords(records: readonly SeedRecord[]): string {
  const isPlain = ({ settings }: SeedRecord) =>
    strategyOf(settings) === "fedavg" && settings.weights === undefined;
  return records.every(isPlain) ? "sample-weighted FedAvg" : "the server's model";
}

/** What the caption of curves over rounds says of means, bands and single seeds. */
export function curveWords(
  panels: readonly { readonly curves: readonly RoundCurve[] }[],
  seeds: number,
): string {
  const counts = panels.flatMap(({ curves }) => curves.map(({ count }) => count));
  const spread = spreadWords(counts, {
    intervals: ", bands two-sided 95 % Student-t intervals",
    seeds: ", thin curves the single seeds",
  });
  if (seeds === 1) return "Curves are single runs, of one seed, at the recorded checkpoints (ticks).";
  return `Curves are means over up to ${seedWords(seeds)} at the recorded checkpoints (ticks)${spread}.`;
}

/** Means over seeds at every checkpoint, a curve for each concentration. */
export function overRounds<Row extends SeedRecord>(
  records: readonly Row[],
  pick: (record: Row) => number,
): RoundCurve[] {
  return alphasOf(records).map((alpha) => {
    const runs = records.filter((record) => record.alpha === alpha && Number.isFinite(pick(record)));
    const count = seedsOf(runs).length;
    const points = roundsOf(runs).map((round) => {
      const here = runs.filter((record) => record.round === round);
      const { mean, low, high } = seedSpread(here.map(pick))!;
      return { round, mean, low, high };
    });
    const isBySeed = count > 1 && isShownBySeed(count);
    const seeds = runs.map((record) => ({ seed: record.seed, round: record.round, value: pick(record) }));
    return { alpha, points, count, seeds: isBySeed ? seeds : [] };
  });
}

/** A logarithmic axis over all that is drawn. */
export function logAxis(curves: readonly RoundCurve[]): ValueAxis {
  const points = curves.flatMap((curve) => curve.points);
  const single = curves.flatMap(({ seeds }) => seeds.map(({ value }) => value));
  const tops = [...points.flatMap(({ mean, high }) => [mean, high ?? mean]), ...single];
  // An interval may reach below zero, where a logarithm ends: it is then cut at the axis, with an arrowhead.
  const bottoms = [
    ...points.flatMap(({ mean, low }) => [mean, low !== null && low > mean / 3 ? low : mean]),
    ...single,
  ];
  const positive = bottoms.filter((value) => value > 0);
  const low = (positive.length > 0 ? Math.min(...positive) : 1) / 1.2;
  const high = Math.max(low * 2, ...tops) * 1.1;
  return {
    scale: { type: "log", domain: [low, high] },
    ticks: logTicks(low, high),
    label: String,
  };
}
