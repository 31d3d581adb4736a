import { alphasOf, type Measurement } from "../../analysis/observations.js";
import type { StatedRange } from "../../analysis/published.js";
import type { RecordFigure } from "../../analysis/report.js";
import { atAlpha } from "../../analysis/seed-contrasts.js";
import { withDistinctPartitions } from "../../analysis/shared-partitions.js";
import type { Subject } from "../../analysis/subject.js";
import { ARROWHEAD_WORDS, boundsOf, UNBOUNDED } from "../cut-intervals.js";
import type { FigureOptions } from "../figure-options.js";
import { type MetricPanel, type MetricSeries, metricCurves, metricPoint } from "../metric-curves.js";
import { seriesStyles } from "../palette.js";
import { markerWords, seedSpread } from "../seed-spread.js";

const PANELS: readonly {
  readonly measurement: Measurement;
  readonly title: string;
  readonly yLabel: string;
  /** In the caption. */
  readonly words: string;
}[] = [
  {
    measurement: "d_sol",
    title: "Solution distance",
    yLabel: "D_sol",
    words: "solution distance between clients",
  },
  {
    measurement: "cv_n",
    title: "Client-size variation",
    yLabel: "CV_n",
    words: "coefficient of variation of their sizes",
  },
  {
    measurement: "eps_part",
    title: "Realisation error",
    yLabel: "ε_part",
    words: "L_1 distance of drawn and realised histograms",
  },
  {
    measurement: "h_g_norm",
    title: "Gradients",
    yLabel: "H_g^norm",
    words: "dissimilarity of the clients' gradients at the shared start",
  },
];

/** What the partitions are that the runs trained on (fig:partition-statistics), and what that does to gradients. */
export function partitionStatisticsFigure(
  { cases: all, published }: Subject,
  { styleOf }: FigureOptions = {},
): RecordFigure | undefined {
  const cases = withDistinctPartitions(all);
  const styles = seriesStyles(cases.map(({ task }) => styleOf?.(task)));
  const alphas = alphasOf(cases.flatMap(({ final }) => final));
  const tasks = cases.filter(({ isPublished }) => isPublished).map(({ task }) => task);
  const counts: number[] = [];
  const panels = PANELS.map(({ measurement, title, yLabel }): MetricPanel => {
    const series = cases.flatMap(({ task, title: name, final: runs, isPublished }, i): MetricSeries[] => {
      const points = alphasOf(runs).flatMap((alpha) => {
        const spread = seedSpread([...atAlpha(runs, alpha, measurement).values()]);
        if (!spread) return [];
        counts.push(spread.count);
        return [metricPoint(alpha, spread)];
      });
      const isStated = published !== undefined && isPublished && measurement === "d_sol";
      const stated = isStated ? within(published.distances(task), alphasOf(runs)) : undefined;
      return points.length > 0 ? [{ name, points, style: styles[i], paper: stated }] : [];
    });
    const paper =
      published && measurement === "d_sol" ? within(published.distanceRanges(tasks), alphas) : undefined;
    return { title, yLabel, series, paper, bounds: boundsOf(measurement) };
  }).filter(({ series }) => series.length > 0);
  if (panels.length === 0) return undefined;
  const words = PANELS.flatMap((one) => (panels.some(({ title }) => title === one.title) ? one.words : []));
  const last = words.pop()!;
  return {
    name: "partition-statistics",
    title: "Partitions",
    caption:
      `Partitions that the runs trained on: ${[...words, words.length > 0 ? `and ${last}` : last].join(", ")}. ${markerWords(counts)}${panels.some(isCited) ? `; what is hollow or grey is the ${published!.source}'s` : ""}.` +
      (panels.some(isCut) ? ` ${ARROWHEAD_WORDS}` : ""),
    svg: metricCurves({ panels }),
  };
}

/** What is stated at concentrations that are drawn. */
export function within(stated: readonly StatedRange[], alphas: readonly number[]): StatedRange[] {
  return stated.filter(({ alpha }) => alphas.includes(alpha));
}

/** Whether something published is drawn in the panel. */
function isCited({ series, paper = [] }: MetricPanel): boolean {
  return paper.length > 0 || series.some((one) => (one.paper ?? []).length > 0);
}

/** Whether an interval of the panel goes beyond what is possible. */
function isCut({ series, bounds = UNBOUNDED }: MetricPanel): boolean {
  return series.some(({ points }) => points.some(({ low, high }) => low < bounds[0] || high > bounds[1]));
}
