import { summarise } from "../../analysis/observations.js";
import { type Drawing, figure } from "../compose.js";
import { dotEntry, legend, lineEntry, smallDotEntry } from "../legend.js";
import { FAINT_INK, PRINT_WIDTH } from "../typography.js";
import { DOT_COLOR, dotRows } from "./dot-rows.js";

/** What is drawn of every split: values over seeds by metric. */
export interface SplitRow {
  readonly label: string;
  /** Rows of one family, such as a partitioner, are set apart from the next. */
  readonly family: string;
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** A metric of splits, one column of the figure. */
export interface SplitMetric {
  readonly name: string;
  /** Heading in the notation of `notation.ts`. */
  readonly title: string;
  /** Metric that is drawn beside it as a tick: what chance alone would give. */
  readonly floor?: string;
}

export interface SplitPanel {
  readonly title: string;
  readonly rows: readonly SplitRow[];
}

/** D_sol with its floor, inputs, sizes and gradients: the columns of a figure, as far as they were measured. */
export const SPLIT_METRICS: readonly SplitMetric[] = [
  { name: "d_sol", title: "D_sol", floor: "d_sol_floor" },
  { name: "input_w1", title: "input W_1" },
  { name: "cv_n", title: "CV_n" },
  { name: "h_g_norm", title: "H_g^norm" },
];

/**
 * Splits as rows, metrics as columns: a dot is the mean over seeds, small dots the seeds, a bar the 95 % interval. Beside
 * D_sol a grey tick shows what IID clients of the same sizes give.
 */
export function splitDots(
  panels: readonly SplitPanel[],
  { name, width = PRINT_WIDTH }: { readonly name: string; readonly width?: number },
): string {
  const measured = SPLIT_METRICS.filter((metric) =>
    panels.some(({ rows }) => rows.some(({ values }) => (values[metric.name] ?? []).length > 0)),
  );
  const labels = panels.flatMap(({ rows }) => rows.map(({ label }) => label));
  const drawn = panels.map(({ title, rows }) => ({
    title,
    rows: rows.map(({ values, ...row }) => ({
      ...row,
      cells: Object.fromEntries(measured.flatMap((metric) => cellOf(values, metric))),
    })),
  }));
  const hasSeeds = panels.some(({ rows }) => rows.some(({ values }) => (values.d_sol ?? []).length > 1));
  const hasFloor = panels.some(({ rows }) =>
    rows.some(({ values }) => (values.d_sol_floor ?? []).length > 0),
  );
  const entries: Drawing[] = [
    dotEntry(hasSeeds ? "mean over seeds with 95 % interval" : "value", {
      color: DOT_COLOR,
      symbol: "circle",
    }),
    ...(hasSeeds ? [smallDotEntry("one seed", { color: DOT_COLOR, r: 1.4, fillOpacity: 0.45 })] : []),
    ...(hasFloor ? [lineEntry("D_sol of IID clients of the same sizes", { color: FAINT_INK })] : []),
  ];
  return figure(dotRows(drawn, measured, width), {
    name,
    description: `${panels.map(({ title }) => title).join("; ")}: ${measured.map(({ title }) => title).join(", ")} of ${labels.length} splits.`,
    legend: legend(entries, width - 8),
    width,
  });
}

/** What is drawn of a metric of a split, by its name; nothing where it was not measured. */
function cellOf(values: SplitRow["values"], { name, floor }: SplitMetric) {
  const summary = summarise(values[name] ?? []);
  if (!summary) return [];
  const points = values[name].length > 1 ? values[name] : [];
  const tick = floor === undefined ? undefined : summarise(values[floor] ?? [])?.mean;
  return [[name, { ...summary, points, tick }] as const];
}
