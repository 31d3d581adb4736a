import type { SeedRecord } from "../records/seed-record.js";
import {
  type Correlation,
  correlation,
  finalRecords,
  haveReference,
  referenceWords,
  withoutReference,
} from "./observations.js";
import {
  PAPER_ALPHAS,
  PAPER_PEARSON,
  PAPER_SEEDS,
  PAPER_SPEARMAN,
  paperTask,
  type Relation,
} from "./paper-values.js";
import { inSetting, mainTasks, paperTitle, settingOf, taskTitle } from "./settings.js";
import { type Cell, countCell, fixed, NOTHING, numberCell, type Table, textCell } from "./table.js";

/** What a distance is compared with, in the order of the paper's columns. */
export const RELATIONS: Readonly<Record<Relation, string>> = {
  h_g_norm: "Gradient",
  d_theta: "Parameter",
  excess_error: "Excess error",
};
const NAMES = Object.keys(RELATIONS) as Relation[];

/**
 * Pearson's correlations with the solution distance and with the input-space W1 (tab:distance-comparison), over all
 * seed-alpha records; those of the reference are among them, with no parameter distance and no excess error.
 */
export function distanceTable(records: readonly SeedRecord[]): Table {
  return {
    name: "distance-comparison",
    title: "Solution distance and input distance",
    caption:
      `Pearson's correlations over seed-level records${haveReference(records) ? `, ${referenceWords(records)} included` : ""}: ` +
      "for the solution distance D_sol, then for " +
      "the input-space distance W_1, with gradient dissimilarity, parameter divergence and excess error.",
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      { heading: "Source", csv: ["source"], align: "left" },
      ...NAMES.map((name) => ({ heading: RELATIONS[name], csv: [`${name}_solution`, `${name}_input`] })),
      { heading: "Records", csv: ["records"] },
    ],
    groups: mainTasks(records).flatMap((task) => {
      const runs = inSetting(finalRecords(records), settingOf(task));
      const pairs = NAMES.map((name) => distancePair(runs, name));
      if (pairs.every(({ solution, input }) => !solution && !input)) return [];
      const title = textCell(taskTitle(task));
      const ours = [
        title,
        textCell("here"),
        ...pairs.map(({ solution, input }) => pairCell(solution?.value, input?.value)),
        countCell(pairs[0].solution?.observations ?? runs.length),
      ];
      const paper = PAPER_PEARSON[task];
      if (!paper) return [[ours]];
      const theirs = NAMES.map((name) => pairCell(paper[name].solution, paper[name].input));
      // The paper does not say how many records it took.
      return [[ours, [textCell(paperTitle(task)), textCell("paper"), ...theirs, numberCell(undefined)]]];
    }),
  };
}

/** Pearson's correlations of both distances with one outcome, over all records of a setting's final round. */
export function distancePair(
  runs: readonly SeedRecord[],
  relation: Relation,
): { readonly solution?: Correlation; readonly input?: Correlation } {
  return {
    solution: correlation("pearson", runs, "d_sol", relation),
    input: correlation("pearson", runs, "input_w1", relation),
  };
}

/** Spearman's correlations with the solution distance, without the reference (fig:formal-mechanisms). */
export function spearmanTable(records: readonly SeedRecord[]): Table {
  return {
    name: "spearman",
    title: "Rank correlations with the solution distance",
    caption:
      "Spearman's rank correlations of the solution distance D_sol with gradient dissimilarity, parameter divergence " +
      `and excess error, over seed-level records without ${referenceWords(records)}.`,
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      { heading: "Source", csv: ["source"], align: "left" },
      ...NAMES.map((name) => ({ heading: RELATIONS[name], csv: [name] })),
      { heading: "Records", csv: ["records"] },
    ],
    groups: mainTasks(records).flatMap((task) => {
      const runs = withoutReference(inSetting(finalRecords(records), settingOf(task)));
      const found = NAMES.map((name) => correlation("spearman", runs, "d_sol", name));
      if (found.every((one) => one === undefined)) return [];
      const title = textCell(taskTitle(task));
      const ours = [
        title,
        textCell("here"),
        ...found.map((one) => numberCell(one?.value, 2)),
        countCell(found[0]?.observations ?? runs.length),
      ];
      const paper = PAPER_SPEARMAN[paperTask(task)];
      if (!paper) return [[ours]];
      const theirs = NAMES.map((name) => numberCell(paper[name], 2));
      const count = countCell((PAPER_ALPHAS.length - 1) * PAPER_SEEDS.length);
      return [[ours, [textCell(paperTitle(task)), textCell("paper"), ...theirs, count]]];
    }),
  };
}

function pairCell(solution: number | undefined, input: number | undefined): Cell {
  const text = [solution, input].map((value) => (value === undefined ? NOTHING : fixed(value, 2)));
  return { text: text.join(" / "), values: [solution ?? null, input ?? null] };
}
