import { join } from "node:path";
import {
  overSeeds,
  type PartitionStatistic,
  REPORTED,
  type ReportedMetric,
  statisticsCsv,
  statisticsMarkdown,
} from "../analysis/partition-statistics.js";
import { settingOf, taskTitle } from "../analysis/settings.js";
import { type TaskName, taskOf } from "../datasets/tasks.js";
import { boundsOf } from "../figures/cut-intervals.js";
import { type MetricPanel, metricCurves } from "../figures/metric-curves.js";
import { paperPoints, paperRanges } from "../figures/partition-statistics.js";
import { toPng } from "../figures/raster.js";
import type { Output } from "../files/disk.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { PAPER_REPAIR, type RepairRule } from "../partition/repair.js";

/** Name of a survey's files, without their endings. */
export const SURVEY = "partition-statistics";

/** How the partitions of a survey were made. */
export interface Surveyed {
  readonly clients: number;
  readonly bins: number;
  /** The tasks' own where undefined. */
  readonly minSize?: number;
  readonly repair: RepairRule;
  readonly out: string;
}

export function surveyPaths(out: string): string[] {
  return ["md", "csv", "svg", "png"].map((ending) => join(out, `${SURVEY}.${ending}`));
}

/** A survey's page, records and figure, from its records alone. */
export function surveyOutputs(
  records: readonly PartitionStatistic[],
  { clients, bins, minSize, repair, out }: Surveyed,
): Output[] {
  const tasks = distinct(records.map(({ task }) => task));
  const alphas = distinct(records.map(({ alpha }) => alpha));
  const seeds = distinct(records.map(({ seed }) => seed));
  const besidePaper = isPapers({ clients, bins, minSize, repair }, tasks);
  const svg = metricCurves({ panels: curvePanels(records, tasks, alphas, besidePaper) });
  const chosen = [
    `--tasks ${tasks.join(" ")} --alpha ${alphas.join(" ")} --seed ${seeds.join(" ")}`,
    `--clients ${clients} --bins ${bins}${minSize === undefined ? "" : ` --min-size ${minSize}`} --repair ${repair} --out ${out}`,
  ];
  const sizes = distinct(tasks.map((task) => minSize ?? taskOf(task as TaskName).minSize));
  const page = statisticsMarkdown(records, {
    command: `pde-dirichlet survey ${chosen.join(" \\\n  ")}`,
    figure: `${SURVEY}.svg`,
    csv: `${SURVEY}.csv`,
    options: `${clients} clients, ${bins} bins, at least ${sizes.join(" or ")} samples a client, repair rule ${repair}`,
    besidePaper,
  });
  const text = (content: string) => new TextEncoder().encode(content);
  const contents = [text(page), text(statisticsCsv(records)), text(svg), () => toPng(svg)];
  return surveyPaths(out).map((path, i) => ({ path, bytes: contents[i] }));
}

/** Whether partitions are made as the paper makes them, so that its values may stand beside them. */
function isPapers(
  { clients, bins, minSize, repair }: Omit<Surveyed, "out">,
  tasks: readonly string[],
): boolean {
  const isSmallest = (task: string) => minSize === undefined || minSize === taskOf(task as TaskName).minSize;
  return (
    clients === settingOf(tasks[0]).clients &&
    bins === DEFAULT_BINS &&
    repair === PAPER_REPAIR &&
    tasks.every(isSmallest)
  );
}

function curvePanels(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  alphas: readonly number[],
  besidePaper: boolean,
): MetricPanel[] {
  return (Object.entries(REPORTED) as [ReportedMetric, { title: string; symbol: string }][]).map(
    ([metric, { title, symbol }]) => ({
      title,
      yLabel: symbol,
      bounds: boundsOf(metric),
      series: tasks.map((task) => ({
        name: taskTitle(task),
        points: alphas.map((alpha) => ({ alpha, ...overSeeds(records, task, alpha, metric)! })),
        paper: metric === "d_sol" && besidePaper ? paperPoints(task, alphas) : [],
      })),
      paper: metric === "d_sol" && besidePaper ? paperRanges(tasks, alphas) : [],
    }),
  );
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
