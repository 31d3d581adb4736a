import type { Axis, Level } from "../../analysis/axes/axes.js";
import {
  alphasOf,
  haveReference,
  referenceWords,
  roundWords,
  summarise,
} from "../../analysis/observations.js";
import type { RecordFigure } from "../../analysis/report.js";
import { atAlpha } from "../../analysis/seed-contrasts.js";
import { leftWords } from "../../analysis/tables/axis-table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { type MetricPoint, metricCurves } from "../metric-curves.js";
import { LEVEL_STYLES } from "../palette.js";
import { FEWEST_FOR_INTERVAL } from "../seed-spread.js";

/**
 * What a study varies, over alpha: one panel a comparison, one line a level, with its interval and single seeds. The
 * excess error is shown, or the test error where nothing has a reference.
 */
export function axisFigure(axis: Axis): RecordFigure | undefined {
  const levels = axis.comparisons.flatMap((comparison) => comparison.levels);
  const records = levels.flatMap(({ of }) => of.records);
  const isCompared = haveReference(records);
  const labels = [...new Set(levels.map(({ label }) => label))];
  const panels = axis.comparisons
    .map(({ title, levels: own }) => ({
      title,
      yLabel: isCompared ? "excess error (pp)" : "relative test error (%)",
      series: own
        .map(({ label, of }) => ({
          name: label,
          points: pointsOf(of, isCompared),
          style: LEVEL_STYLES[labels.indexOf(label) % LEVEL_STYLES.length],
        }))
        .filter(({ points }) => points.length > 0),
    }))
    .filter(({ series }) => series.length > 0);
  if (panels.length === 0) return undefined;
  const what = isCompared
    ? `Excess of the relative test error over that of the run with the same seed and ${referenceWords(records)}`
    : "Relative test error";
  const counts = panels.flatMap(({ series }) =>
    series.flatMap(({ points }) => points.map(({ seeds }) => seeds!.length)),
  );
  return {
    name: `compare-${axis.name}`,
    title: `Comparison: ${axis.title.toLowerCase()}`,
    caption:
      `${what}, after ${roundWords(records)}, for every ${axis.title.toLowerCase()}. ${spreadWords(counts)}` +
      leftWords(axis),
    svg: metricCurves({
      name: `${axis.title}: ${isCompared ? "excess error" : "test error"} against the concentration α`,
      panels,
    }),
  };
}

function pointsOf({ final, referenceAlpha }: Level["of"], isCompared: boolean): MetricPoint[] {
  const alphas = alphasOf(final).filter((alpha) => !isCompared || alpha !== referenceAlpha);
  return alphas.flatMap((alpha) => {
    const seeds = valuesAt(final, alpha, isCompared);
    const summary = summarise(seeds);
    if (!summary) return [];
    const { mean, low, high } = summary;
    // With two or three seeds an interval is wider than the axis of all else: the dots show the spread.
    const isFew = seeds.length < FEWEST_FOR_INTERVAL;
    return [{ alpha, mean, low: isFew ? mean : low!, high: isFew ? mean : high!, seeds }];
  });
}

function valuesAt(final: readonly SeedRecord[], alpha: number, isCompared: boolean): number[] {
  const values = isCompared
    ? atAlpha(final, alpha, "excess_error")
    : atAlpha(final, alpha, "test_error", 100);
  return [...values.values()];
}

function spreadWords(counts: readonly number[]): string {
  if (counts.every((count) => count === 1)) return "Values of one seed.";
  const hasIntervals = counts.some((count) => count >= FEWEST_FOR_INTERVAL);
  const bars = hasIntervals ? ", bars 95 % Student-t intervals" : "";
  return `Markers are means over seeds${bars}, small dots single seeds.`;
}
