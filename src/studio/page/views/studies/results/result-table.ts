import {
  differenceCell,
  estimateCell,
  meanCell,
  type Table,
  textCell,
} from "../../../../../analysis/tables/table.js";
import { STUDIES_WORDS } from "../words.js";
import { type Along, checkpointsOf, type Panel } from "./comparisons.js";
import { type LevelSummary, levelSummaries } from "./level-summaries.js";
import { type Measure, unitIn } from "./measures.js";

/** Measures that stand beside the chosen one, where records have them. */
const ALSO: readonly string[] = [
  ...["test_error", "excess_error", "client_error_worst", "d_sol", "h_g_norm", "d_theta", "communication"],
];

const ESTIMATE = ["", "_sd", "_low", "_high"] as const;

/** The results as one table: a row for every level of every comparison, and for every checkpoint where all are asked for. */
export function resultTable(
  along: Along,
  panels: readonly Panel[],
  measures: readonly Measure[],
  measure: Measure,
  checkpoint: number | "last" | "all",
): Table {
  const others = measures.filter((one) => ALSO.includes(one.name) && one !== measure);
  const heading = (one: Measure) => `${STUDIES_WORDS[one.term].label}${unitIn(one)}`;
  return {
    name: `study-${along.name}`,
    title: `${STUDIES_WORDS[measure.term].label} along ${along.title}`,
    caption:
      "Means over seeds, sample standard deviations, 95 % Student-t intervals, differences paired by seed.",
    columns: [
      { heading: "Comparison", csv: ["comparison"], align: "left" },
      { heading: along.title, csv: ["level"], align: "left" },
      { heading: "Round", csv: ["round"] },
      { heading: heading(measure), csv: ESTIMATE.map((part) => `${measure.name}${part}`) },
      {
        heading: `From the first${unitIn({ unit: measure.difference ?? measure.unit })}`,
        csv: ESTIMATE.map((part) => `difference${part}`),
      },
      { heading: "Seeds", csv: ["seeds"] },
      ...others.map((one) => ({ heading: heading(one), csv: [one.name, `${one.name}_sd`] })),
    ],
    groups: panels.map((panel) =>
      roundsOf(panel, checkpoint).flatMap((round) => {
        const summaries = levelSummaries(panel, measure, round);
        const beside = others.map((one) => levelSummaries(panel, one, round));
        return summaries.map((summary, i) =>
          row(
            panel,
            summary,
            beside.map((of) => of[i]),
          ),
        );
      }),
    ),
  };
}

function roundsOf({ levels }: Panel, checkpoint: number | "last" | "all"): readonly (number | "last")[] {
  return checkpoint === "all" ? checkpointsOf(levels.flatMap(({ rows }) => rows)) : [checkpoint];
}

function row(
  { title }: Panel,
  { level, round, summary, change }: LevelSummary,
  beside: readonly LevelSummary[],
) {
  const estimate = estimateCell(summary);
  const difference = differenceCell(change);
  return [
    textCell(title),
    textCell(level.label),
    { text: String(round), values: [round] },
    { ...estimate, strong: false, values: estimate.values.slice(0, 4) },
    { ...difference, values: difference.values.slice(0, 4) },
    { text: String(summary?.seeds ?? 0), values: [summary?.seeds ?? 0] },
    ...beside.map((one) => meanCell(one.summary)),
  ];
}
