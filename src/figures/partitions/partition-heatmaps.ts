import { alphasOf, seedsOf } from "../../analysis/observations.js";
import { list } from "../../analysis/phrases.js";
import type { RecordFigure } from "../../analysis/report.js";
import { withDistinctPartitions } from "../../analysis/shared-partitions.js";
import type { Subject } from "../../analysis/subject.js";
import type { RunTrace } from "../../records/run-trace.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { evenly } from "../alpha-axis.js";
import type { FigureOptions } from "../figure-options.js";
import { type ClientBinPanel, clientBinHeatmap } from "./client-bin-heatmap.js";

/** More panels than this do not fit a page. */
const MOST_PANELS = 6;
/** More figures than this make a report that nobody reads to its end. */
const MOST_FIGURES = 8;

/** The partitions of one seed of a setting, from the largest concentration to the smallest. */
interface Partitions {
  readonly title: string;
  readonly seed: number;
  readonly others: boolean;
  readonly panels: readonly ClientBinPanel[];
}

/**
 * The clients and bins of the partitions that a setting was trained on (fig:client-bin-distributions), for its first
 * seed, as far as the folders of the runs are there. Settings that share their partitions share the figure.
 */
export function partitionHeatmaps({ cases }: Subject, { traces = [] }: FigureOptions): RecordFigure[] {
  const known = traces.filter((trace) => trace.counts.length > 0);
  const counts = new Map(known.map((trace) => [trace.run_id, trace.counts]));
  const shown = new Map<string, Partitions[]>();
  for (const { title, final } of withDistinctPartitions(cases)) {
    const runs = final.filter(({ run_id }) => counts.has(run_id));
    if (runs.length === 0) continue;
    const [seed, ...others] = seedsOf(runs);
    const panels = panelsOf(
      runs.filter((run) => run.seed === seed),
      counts,
    );
    const key = JSON.stringify(panels);
    const one = { title, seed, others: others.length > 0, panels };
    shown.set(key, [...(shown.get(key) ?? []), one]);
  }
  const left = shown.size - MOST_FIGURES;
  const figures = [...shown.values()].slice(0, MOST_FIGURES).map(figureOf);
  return figures.map((figure, i) => ({
    ...figure,
    // Two names may be the same but for signs that file names do not have.
    name:
      figures.findIndex(({ name }) => name === figure.name) === i ? figure.name : `${figure.name}-${i + 1}`,
    caption:
      left > 0 && i === MOST_FIGURES - 1
        ? `${figure.caption} Partitions of ${left} more setting${left === 1 ? " is" : "s are"} not drawn.`
        : figure.caption,
  }));
}

function panelsOf(
  runs: readonly SeedRecord[],
  counts: ReadonlyMap<string, RunTrace["counts"]>,
): ClientBinPanel[] {
  const alphas = evenly(alphasOf(runs), MOST_PANELS);
  return alphas.map((alpha) => {
    const { run_id, d_sol, cv_n } = runs.find((run) => run.alpha === alpha)!;
    const metrics = `D_sol = ${d_sol.toFixed(2)}, CV_n = ${cv_n.toFixed(2)}`;
    return { label: `α = ${alpha}`, counts: counts.get(run_id)!, metrics };
  });
}

function figureOf(shared: readonly Partitions[]): RecordFigure {
  const [{ title, seed, others, panels }] = shared;
  return {
    name: `partition-${title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")}`,
    title: `Partition${panels.length === 1 ? "" : "s"} of ${list(shared.map((one) => one.title))}, seed ${seed}`,
    caption:
      "Rows are clients, columns solution bins, numbers are samples. The colour is the bin's share of the client; the bars " +
      `below are the clients' sizes.${others ? " Other seeds have partitions of their own." : ""}`,
    svg: clientBinHeatmap({ panels }),
  };
}
