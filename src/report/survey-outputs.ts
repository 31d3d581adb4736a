import { join } from "node:path";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
  splitStatisticsMarkdown,
  statisticsCsv,
  statisticsMarkdown,
} from "../analysis/partition-statistics.js";
import type { Published } from "../analysis/published.js";
import { boundsOf } from "../figures/cut-intervals.js";
import type { FigureOptions } from "../figures/figure-options.js";
import { type MetricPanel, metricCurves } from "../figures/metric-curves.js";
import { seriesStyles } from "../figures/palette.js";
import { within } from "../figures/partitions/partition-statistics.js";
import { type SplitPanel, splitDots } from "../figures/partitions/split-dots.js";
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
  /** Flags of a partitioner other than the paper's, as they were given. */
  readonly partitioner?: string;
  /** Flags of a representation or a cost other than the usual ones, as they were given. */
  readonly metric?: string;
  /** Files in place of tasks. */
  readonly files?: string;
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
  { clients, bins, minSize, minSizes, repair, out, partitioner, metric, files }: Surveyed,
  additions: SurveyAdditions,
): Output[] {
  const tasks = distinct(records.map(({ task }) => task));
  const alphas = distinct(records.map(({ alpha }) => alpha));
  const seeds = distinct(records.map(({ seed }) => seed));
  const known = alphas.filter((alpha) => !Number.isNaN(alpha));
  const isSplits = partitioner !== undefined || known.length === 0;
  const svg = isSplits
    ? splitDots(splitPanels(records, tasks, additions), { name: "Splits of the same data" })
    : metricCurves({ panels: curvePanels(records, tasks, alphas, additions) });
  const chosen = [
    [
      files ?? `--tasks ${tasks.join(" ")}`,
      ...(partitioner === undefined ? [] : [partitioner]),
      ...(metric === undefined ? [] : [metric]),
      ...(known.length > 0 ? [`--alpha ${known.join(" ")}`] : []),
      `--seed ${seeds.join(" ")}`,
    ].join(" "),
    `--clients ${clients} --bins ${bins}${minSize === undefined ? "" : ` --min-size ${minSize}`} --repair ${repair} --out ${out}`,
  ];
  const page = (isSplits ? splitStatisticsMarkdown : statisticsMarkdown)(records, {
    command: `pde-dirichlet survey ${chosen.join(" \\\n  ")}`,
    figure: `${SURVEY}.svg`,
    csv: `${SURVEY}.csv`,
    options: `${clients} clients, ${bins} bins, at least ${distinct(minSizes).join(" or ")} samples a client, repair rule ${repair}${metric === undefined ? "" : `, ${metric}`}`,
    published: additions.published,
  });
  const text = (content: string) => new TextEncoder().encode(content);
  const contents = [text(page), text(statisticsCsv(records)), text(svg), () => toPng(svg)];
  return surveyPaths(out).map((path, i) => ({ path, bytes: contents[i] }));
}

/** Splits as rows, a panel for every data. */
function splitPanels(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  { titleOf }: SurveyAdditions,
): SplitPanel[] {
  return tasks.map((task) => {
    const own = records.filter((record) => record.task === task);
    const rows = distinct(own.map(({ split }) => split)).map((split) => {
      const runs = own.filter((record) => record.split === split);
      const names = Object.keys(runs[0].metrics) as (keyof PartitionStatistic["metrics"])[];
      return {
        label: (split ?? "").replace(/\balpha (?=\d)/, "α = "),
        family: "",
        values: Object.fromEntries(
          names.map((name) => [name, runs.flatMap(({ metrics }) => metrics[name] ?? [])]),
        ),
      };
    });
    return { title: titleOf(task) ?? task, rows };
  });
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
