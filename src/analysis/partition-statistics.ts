import type { Metrics } from "../diagnostics/metrics.js";
import { formatCsv, parseTable } from "../files/csv.js";
import type { Published, StatedRange } from "./published.js";
import { type MeanInterval, mean, meanInterval, standardDeviation } from "./statistics.js";

/** What one partition measured: a seed-level record. */
export interface PartitionStatistic {
  readonly task: string;
  /** NaN for a split without a concentration. */
  readonly alpha: number;
  /** The split in words, where its partitioner is not the paper's. */
  readonly split?: string;
  readonly seed: number;
  readonly metrics: Metrics;
}

/** Statistics that the paper plots (fig:partition-statistics), and how they are called here. */
export const REPORTED = {
  d_sol: { title: "Solution distance", symbol: "D_sol" },
  cv_n: { title: "Client-size variation", symbol: "CV_n" },
  eps_part: { title: "Realisation error", symbol: "ε_part" },
  eps_quant: { title: "Quantisation error", symbol: "ε_quant" },
} as const;

export type ReportedMetric = keyof typeof REPORTED;

/** A mean with its interval and the sample standard deviation, which a single seed does not have. */
export type SpreadInterval = MeanInterval & { readonly sd: number | null };

/** Mean and 95 % interval over seeds of one metric; the interval is the mean itself for a single seed. */
export function overSeeds(
  records: readonly PartitionStatistic[],
  task: string,
  alpha: number,
  metric: keyof Metrics,
): SpreadInterval | undefined {
  const values = records.flatMap((record) => {
    const value = record.metrics[metric];
    return record.task === task && record.alpha === alpha && value !== null ? [value] : [];
  });
  return spread(values);
}

/** Mean and 95 % interval of values that are known. */
function spread(all: readonly (number | null)[]): SpreadInterval | undefined {
  const values = all.filter((value): value is number => value !== null);
  if (values.length === 0) return undefined;
  if (values.length > 1) return { ...meanInterval(values), sd: standardDeviation(values) };
  return { mean: mean(values), sd: null, low: values[0], high: values[0] };
}

/** All records with all their metrics, one row each. */
export function statisticsCsv(records: readonly PartitionStatistic[]): string {
  const names = Object.keys(records[0].metrics) as (keyof Metrics)[];
  const hasSplits = records.some(({ split }) => split !== undefined);
  return formatCsv([
    ["task", "alpha", "seed", ...names, ...(hasSplits ? ["split"] : [])],
    ...records.map(({ task, alpha, seed, metrics, split }) => [
      task,
      Number.isNaN(alpha) ? "" : alpha,
      seed,
      ...names.map((name) => metrics[name] ?? ""),
      ...(hasSplits ? [split ?? ""] : []),
    ]),
  ]);
}

/** A page with one row for every split of every data, over seeds. */
export function splitStatisticsMarkdown(
  records: readonly PartitionStatistic[],
  { command, figure, csv, options }: StatisticsPage,
): string {
  const tasks = distinct(records.map((record) => record.task));
  const seeds = distinct(records.map((record) => record.seed));
  const shown = ["d_sol", "d_sol_floor", "input_w1", "tv", "cv_n", "n_min", "n_max"] as const;
  const rows = tasks.flatMap((task) =>
    distinct(records.filter((one) => one.task === task).map(({ split }) => split)).map((split) => {
      const own = records.filter((one) => one.task === task && one.split === split);
      return [
        task,
        split ?? "",
        ...shown.map((metric) => interval(spread(own.map(({ metrics }) => metrics[metric])))),
      ];
    }),
  );
  return [
    "# Partition statistics",
    "",
    `Splits of ${tasks.join(", ")} over the seeds ${seeds.join(", ")} (${options}).`,
    "Every entry is the mean over the seeds, the sample standard deviation in parentheses and the two-sided 95 % " +
      "Student-t interval. `d_sol_floor` is D_sol of IID splits into clients of the same sizes.",
    `This page, [the figure](${figure}) and [the seed-level records](${csv}) were written by`,
    "",
    "```",
    command,
    "```",
    "",
    `![Partition statistics](${figure})`,
    "",
    `| data | split | ${shown.join(" | ")} |`,
    `|---|---|${"---|".repeat(shown.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ].join("\n");
}

/** Reads what {@link statisticsCsv} writes. */
export function readStatistics(text: string, path: string): PartitionStatistic[] {
  const { header = [], rows } = parseTable(text, path);
  return rows.map(([task, alpha, seed, ...values]) => ({
    task,
    alpha: Number(alpha),
    seed: Number(seed),
    metrics: Object.fromEntries(
      header.slice(3).map((name, i) => [name, values[i] === "" ? null : Number(values[i])]),
    ) as unknown as Metrics,
  }));
}

export interface StatisticsPage {
  readonly command: string;
  readonly figure: string;
  readonly csv: string;
  readonly options: string;
  /** Published values, where the partitions are made in the same way. */
  readonly published?: Pick<Published, "source" | "distances" | "distanceRanges">;
}

/** A page with a table for every reported statistic and what they say. */
export function statisticsMarkdown(records: readonly PartitionStatistic[], page: StatisticsPage): string {
  const tasks = distinct(records.map((record) => record.task));
  const alphas = distinct(records.map((record) => record.alpha)).sort((a, b) => b - a);
  const seeds = distinct(records.map((record) => record.seed));
  const lines = [
    "# Partition statistics",
    "",
    `What a partition really is, measured: ${tasks.join(", ")} over the seeds ${seeds.join(", ")} (${page.options}).`,
    "Every entry is the mean over the seeds, the sample standard deviation in parentheses and the two-sided 95 % " +
      "Student-t interval.",
    `This page, [the figure](${page.figure}) and [the seed-level records](${page.csv}) were written by`,
    "",
    "```",
    page.command,
    "```",
    "",
    `![Partition statistics](${page.figure})`,
    "",
  ];
  for (const [metric, { title, symbol }] of Object.entries(REPORTED) as [
    ReportedMetric,
    { title: string; symbol: string },
  ][]) {
    lines.push(`## ${title}, ${symbol}`, "");
    lines.push(...metricTable(records, tasks, alphas, metric, page), "");
  }
  lines.push("## The concentration law", "", ...lawTable(records, tasks, alphas), "");
  lines.push("## What the records say", "", ...findings(records, tasks, alphas, page), "");
  return lines.join("\n");
}

function metricTable(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  alphas: readonly number[],
  metric: ReportedMetric,
  { published }: StatisticsPage,
): string[] {
  const rows = [
    `| task | ${alphas.map((alpha) => `α = ${alpha}`).join(" | ")} |`,
    `|---|${"---|".repeat(alphas.length)}`,
  ];
  for (const task of tasks) {
    rows.push(
      `| ${task} | ${alphas.map((alpha) => interval(overSeeds(records, task, alpha, metric))).join(" | ")} |`,
    );
    if (metric !== "d_sol" || !published) continue;
    const stated = statedDistances(task, published);
    rows.push(
      `| ${task}, ${published.source} | ${alphas.map((alpha) => entryAt(stated, alpha)).join(" | ")} |`,
    );
  }
  if (metric !== "d_sol" && published)
    rows.push("", `The ${published.source} shows these in a figure only and states no value.`);
  return rows;
}

function lawTable(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  alphas: readonly number[],
): string[] {
  const rows = [
    "Drawn H_u beside its expectation by the exact law `(K-1)/(K α+1) Σ π_b²`, means over the seeds.",
    "",
    `| task | ${alphas.map((alpha) => `α = ${alpha}`).join(" | ")} |`,
    `|---|${"---|".repeat(alphas.length)}`,
  ];
  for (const task of tasks) {
    for (const [metric, name] of [
      ["h_u", "drawn"],
      ["h_u_expected", "law"],
    ] as const) {
      const cells = alphas.map(
        (alpha) => overSeeds(records, task, alpha, metric)?.mean.toPrecision(3) ?? "-",
      );
      rows.push(`| ${task}, ${name} | ${cells.join(" | ")} |`);
    }
  }
  return rows;
}

function findings(
  records: readonly PartitionStatistic[],
  tasks: readonly string[],
  alphas: readonly number[],
  { published }: StatisticsPage,
): string[] {
  const found: string[] = [];
  for (const task of tasks) {
    const means = alphas.map((alpha) => overSeeds(records, task, alpha, "d_sol")!.mean);
    const rising = means.every((value, index) => index === 0 || value > means[index - 1]);
    found.push(
      `- ${task}: mean D_sol ${rising ? "rises with every step" : "does not rise with every step"} from α = ${alphas[0]} to α = ${alphas[alphas.length - 1]}.`,
    );
    for (const { alpha, low, high } of published ? statedDistances(task, published) : []) {
      const ours = overSeeds(records, task, alpha, "d_sol");
      if (!ours) continue;
      const agrees = ours.low <= high && ours.high >= low;
      found.push(
        `- ${task}, α = ${alpha}: our interval [${ours.low.toFixed(3)}, ${ours.high.toFixed(3)}] ${agrees ? "covers" : "does not cover"} the ${published!.source}'s ${range(low, high)}.`,
      );
    }
  }
  if (alphas.includes(0.1) && alphas.includes(0.01)) {
    const change = tasks.map((task) => {
      const [before, after] = [0.1, 0.01].map((alpha) => overSeeds(records, task, alpha, "eps_part")!.mean);
      return `${task} ${before.toFixed(3)} to ${after.toFixed(3)}`;
    });
    const stated = published ? ` The ${published.source} reports that it grows there.` : "";
    found.push(`- Realisation error from α = 0.1 to α = 0.01: ${change.join(", ")}.${stated}`);
  }
  const moved = records.filter((record) => (record.metrics.repairs ?? 0) > 0);
  const touched = alphas.filter((alpha) => moved.some((record) => record.alpha === alpha));
  found.push(
    moved.length === 0
      ? "- No partition needed a repair."
      : `- ${moved.length} of ${records.length} partitions needed a repair of the smallest clients, at α = ${touched.join(", ")}.`,
  );
  return found;
}

/** What is stated of a task alone or among others, near-IID first. */
function statedDistances(
  task: string,
  { distances, distanceRanges }: NonNullable<StatisticsPage["published"]>,
): StatedRange[] {
  return [...distances(task), ...distanceRanges([task])].sort((a, b) => b.alpha - a.alpha);
}

function entryAt(stated: readonly StatedRange[], alpha: number): string {
  const entry = stated.find((one) => one.alpha === alpha);
  return entry ? range(entry.low, entry.high) : "not stated";
}

function range(low: number, high: number): string {
  return low === high ? String(low) : `${low.toFixed(2)} to ${high.toFixed(2)}`;
}

function interval(value: SpreadInterval | undefined): string {
  if (!value) return "-";
  const { mean, sd, low, high } = value;
  if (sd === null) return mean.toFixed(3);
  return `${mean.toFixed(3)} (${sd.toFixed(3)}) [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
