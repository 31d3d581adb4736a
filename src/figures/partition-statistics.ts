import { alphasOf, finalRecords, type Measurement } from "../analysis/observations.js";
import { type PaperStatistic, paperDistances, paperTask } from "../analysis/paper-values.js";
import type { RecordFigure } from "../analysis/report.js";
import { atAlpha } from "../analysis/seed-contrasts.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "../analysis/settings.js";
import type { SeedRecord } from "../records/seed-record.js";
import { ARROWHEAD_WORDS, boundsOf, UNBOUNDED } from "./cut-intervals.js";
import {
  type MetricPanel,
  type MetricSeries,
  metricCurves,
  metricPoint,
  type PaperValue,
} from "./metric-curves.js";
import { markerWords, seedSpread } from "./seed-spread.js";

const PANELS: readonly {
  readonly measurement: Measurement;
  readonly title: string;
  readonly yLabel: string;
}[] = [
  { measurement: "d_sol", title: "Solution distance", yLabel: "D_sol" },
  { measurement: "cv_n", title: "Client-size variation", yLabel: "CV_n" },
  { measurement: "eps_part", title: "Realisation error", yLabel: "ε_part" },
  { measurement: "h_g_norm", title: "Gradients", yLabel: "H_g^norm" },
];

/** What the partitions are that the runs trained on (fig:partition-statistics), and what that does to gradients. */
export function partitionStatisticsFigure(records: readonly SeedRecord[]): RecordFigure | undefined {
  const final = finalRecords(records);
  const tasks = mainTasks(final);
  const counts: number[] = [];
  const panels = PANELS.map(({ measurement, title, yLabel }): MetricPanel => {
    const series = tasks.flatMap((task): MetricSeries[] => {
      const runs = inSetting(final, settingOf(task));
      const points = alphasOf(runs).flatMap((alpha) => {
        const spread = seedSpread([...atAlpha(runs, alpha, measurement).values()]);
        if (!spread) return [];
        counts.push(spread.count);
        return [metricPoint(alpha, spread)];
      });
      return points.length > 0
        ? [{ name: taskTitle(task), points, paper: stated(measurement, task, alphasOf(runs)) }]
        : [];
    });
    const paper = measurement === "d_sol" ? paperRanges(tasks, alphasOf(final)) : undefined;
    return { title, yLabel, series, paper, bounds: boundsOf(measurement) };
  }).filter(({ series }) => series.length > 0);
  if (panels.length === 0) return undefined;
  return {
    name: "partition-statistics",
    title: "Partitions",
    caption:
      "Partitions that the runs trained on: solution distance between clients, coefficient of variation of their " +
      "sizes, L_1 distance of drawn and realised histograms, and dissimilarity of the clients' gradients at the " +
      `shared start. ${markerWords(counts)}${panels.some(isCited) ? "; what is hollow or grey is the paper's" : ""}.` +
      (panels.some(isCut) ? ` ${ARROWHEAD_WORDS}` : ""),
    svg: metricCurves({ panels }),
  };
}

function stated(measurement: Measurement, task: string, alphas: readonly number[]): MetricSeries["paper"] {
  return measurement === "d_sol" ? paperPoints(task, alphas) : undefined;
}

/** Whether something of the paper is drawn in the panel. */
function isCited({ series, paper = [] }: MetricPanel): boolean {
  return paper.length > 0 || series.some((one) => (one.paper ?? []).length > 0);
}

/** Whether an interval of the panel goes beyond what is possible. */
function isCut({ series, bounds = UNBOUNDED }: MetricPanel): boolean {
  return series.some(({ points }) => points.some(({ low, high }) => low < bounds[0] || high > bounds[1]));
}

/** The paper's D_sol of a task at some concentrations. */
export function paperPoints(task: string, alphas: readonly number[]): readonly PaperValue[] {
  return paperDistances(task).filter(
    (entry) => entry.task === paperTask(task) && alphas.includes(entry.alpha),
  );
}

/** Its ranges over the controlled tasks, where these are shown. */
export function paperRanges(tasks: readonly string[], alphas: readonly number[]): readonly PaperStatistic[] {
  const ranges = tasks.flatMap((task) => paperDistances(task).filter((entry) => entry.task === undefined));
  return [...new Set(ranges)].filter((entry) => alphas.includes(entry.alpha));
}
