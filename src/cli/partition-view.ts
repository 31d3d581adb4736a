import type { Metrics } from "../diagnostics/metrics.js";
import { textHeatmap } from "../figures/partitions/text-heatmap.js";
import type { Output } from "../files/disk.js";
import { countTable } from "../partition/assignment.js";
import { DEFAULT_PARTITIONER } from "../partition/partitioners.js";
import { splitWords } from "../partition/split-words.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";
import { figureEncoder } from "./figure-file.js";
import { decimal, textTable } from "./table.js";

/** A partition as one panel of the heat map. */
export interface PanelSource {
  readonly label: string;
  readonly counts: readonly (readonly number[])[];
  readonly metrics: Metrics;
}

/** More panels than this do not fit a page. */
export const MOST_PANELS = 6;

/** The heat map of these partitions as a file to write; the ending decides what kind. */
export function figureOutput(path: string, panels: readonly PanelSource[]): Output {
  const encode = figureEncoder(path, "--figure");
  const draw = async () => {
    const { clientBinHeatmap } = await import("../figures/partitions/client-bin-heatmap.js");
    return clientBinHeatmap({
      panels: panels.slice(0, MOST_PANELS).map(({ label, counts, metrics }) => ({
        label,
        counts,
        metrics: `D_sol = ${metrics.d_sol.toFixed(2)}, CV_n = ${metrics.cv_n.toFixed(2)}`,
      })),
    });
  };
  return { path, bytes: async () => encode(await draw()) };
}

/** Prints a small heat map for the terminal. */
export function printHeatmap({ partition }: MeasuredPartition): void {
  const color = process.stdout.hasColors?.(256) ?? false;
  console.log(`Client by solution bin, ${splitWords(partition)}, seed ${partition.seed}:`);
  console.log(
    `${textHeatmap(countTable(partition), { color, width: process.stdout.columns || undefined })}\n`,
  );
}

/** One row a partition, with the numbers that the paper reports. */
export function metricsTable(partitions: readonly MeasuredPartition[]): string {
  const isPlain = partitions.every(({ partition }) => partition.partitioner.name === DEFAULT_PARTITIONER);
  const header = [
    ...(isPlain ? ["alpha"] : ["partitioner"]),
    "seed",
    "D_sol",
    "floor",
    "input W1",
    "CV_n",
    "eps_part",
    "eps_quant",
    "H_u",
    "E[H_u]",
    "H_q",
    "n_min",
    "n_max",
    "moved",
  ];
  const rows = partitions.map(({ partition, diagnostics: { metrics } }) => [
    isPlain ? String(partition.alpha) : splitWords(partition),
    String(partition.seed),
    decimal(metrics.d_sol),
    decimal(metrics.d_sol_floor),
    decimal(metrics.input_w1),
    decimal(metrics.cv_n),
    decimal(metrics.eps_part),
    decimal(metrics.eps_quant),
    decimal(metrics.h_u, 4),
    decimal(metrics.h_u_expected, 4),
    decimal(metrics.h_q, 4),
    String(metrics.n_min),
    String(metrics.n_max),
    String(metrics.repairs ?? "-"),
  ]);
  return textTable(header, rows);
}
