import { join } from "node:path";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
  statisticsCsv,
  statisticsMarkdown,
} from "../analysis/partition-statistics.js";
import type { Published } from "../analysis/published.js";
import { boundsOf } from "../figures/cut-intervals.js";
import type { FigureOptions } from "../figures/figure-options.js";
import { type MetricPanel, metricCurves } from "../figures/metric-curves.js";
import { seriesStyles } from "../figures/palette.js";
import { within } from "../figures/partition-statistics.js";
import { toPng } from "../figures/raster.js";
import type { Output } from "../files/disk.js";

/** Name of a survey's files, without their endings. */
export const SURVEY = "partition-statistics";

/** How the partitions of a survey were made. */
export interface Surveyed {
  readonly clients: number;
  readonly bins: number;
  /** The tasks' own where undefined. */
  readonly minSize?: number;
  /** The minimum sizes of clients that the tasks then have. */
  readonly minSizes: readonly number[];
  readonly repair: string;
  readonly out: string;
}

/** Titles, colours and published values of data, for a survey that may show them. */
export interface SurveyAdditions {
  readonly titleOf: Published["titleOf"];
  readonly styleOf: NonNullable<FigureOptions["styleOf"]>;
  /** Only where the partitions are made as the publication makes them. */
  readonly published?: Published;
}

export function surveyPaths(out: string): string[] {
  return ["md", "csv", "svg", "png"].map((ending) => join(out, `${SURVEY}.${ending}`));
}

/** A survey's page, records and figure, from its records alone. */
export function surveyOutputs(
  records: readonly PartitionStatistic[],
  { clients, bins, minSize, minSizes, repair, out }: Surveyed,
  additions: SurveyAdditions,
): Output[] {
  const tasks = distinct(records.map(({ task }) => task));
  const alphas = distinct(records.map(({ alpha }) => alpha));
  const seeds = distinct(records.map(({ seed }) => seed));
  const svg = metricCurves({ panels: curvePanels(records, tasks, alphas, additions) });
  const chosen = [
    `--tasks ${tasks.join(" ")} --alpha ${alphas.join(" ")} --seed ${seeds.join(" ")}`,
    `--clients ${clients} --bins ${bins}${minSize === undefined ? "" : ` --min-size ${minSize}`} --repair ${repair} --out ${out}`,
  ];
  const page = statisticsMarkdown(records, {
    command: `pde-dirichlet survey ${chosen.join(" \\\n  ")}`,
    figure: `${SURVEY}.svg`,
    csv: `${SURVEY}.csv`,
    options: `${clients} clients, ${bins} bins, at least ${distinct(minSizes).join(" or ")} samples a client, repair rule ${repair}`,
    published: additions.published,
  });
  const text = (content: string) => new TextEncoder().encode(content);
  const contents = [text(page), text(statisticsCsv(records)), text(svg), () => toPng(svg)];
  return surveyPaths(out).map((path, i) => ({ path, bytes: contents[i] }));
}

function curvePanels(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  alphas: readonly number[],
  { titleOf, styleOf, published }: SurveyAdditions,
): MetricPanel[] {
  const styles = seriesStyles(tasks.map(styleOf));
  return (Object.entries(REPORTED) as [ReportedMetric, { title: string; symbol: string }][]).map(
    ([metric, { title, symbol }]) => ({
      title,
      yLabel: symbol,
      bounds: boundsOf(metric),
      series: tasks.map((task, i) => ({
        name: titleOf(task) ?? task,
        points: alphas.map((alpha) => ({ alpha, ...overSeeds(records, task, alpha, metric)! })),
        style: styles[i],
        paper: metric === "d_sol" && published ? within(published.distances(task), alphas) : [],
      })),
      paper: metric === "d_sol" && published ? within(published.distanceRanges(tasks), alphas) : [],
    }),
  );
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
