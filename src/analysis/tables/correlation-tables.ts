import type { SeedRecord } from "../../records/seed-record.js";
import {
  type Correlation,
  correlation,
  haveReference,
  referenceWords,
  withoutReference,
} from "../observations.js";
import type { Relation } from "../published.js";
import type { Subject } from "../subject.js";
import { type Cell, countCell, fixed, NOTHING, numberCell, type Table, textCell } from "./table.js";

/** What a distance is compared with, in the order of the columns. */
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
export function distanceTable({ records, cases, published }: Subject): Table {
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
    groups: cases.flatMap((one) => {
      const pairs = NAMES.map((name) => distancePair(one.final, name));
      if (pairs.every(({ solution, input }) => !solution && !input)) return [];
      const ours = [
        textCell(one.title),
        textCell("here"),
        ...pairs.map(({ solution, input }) => pairCell(solution?.value, input?.value)),
        countCell(pairs[0].solution?.observations ?? one.final.length),
      ];
      const stated = NAMES.map((name) => (one.isPublished ? published?.pearson(one, name) : undefined));
      if (!published || stated.every((pair) => pair === undefined)) return [[ours]];
      const theirs = stated.map((pair) => pairCell(pair?.solution, pair?.input));
      // How many records it took is not stated.
      const source = textCell(published.source);
      return [[ours, [textCell(published.ownTitle(one)), source, ...theirs, numberCell(undefined)]]];
    }),
  };
}

/** Pearson's correlations of both distances with one outcome, over all records of a case's final round. */
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
export function spearmanTable({ records, cases, published }: Subject): Table {
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
    groups: cases.flatMap((one) => {
      const runs = withoutReference(one.final);
      const found = NAMES.map((name) => correlation("spearman", runs, "d_sol", name));
      if (found.every((value) => value === undefined)) return [];
      const ours = [
        textCell(one.title),
        textCell("here"),
        ...found.map((value) => numberCell(value?.value, 2)),
        countCell(found[0]?.observations ?? runs.length),
      ];
      const stated = NAMES.map((name) => (one.isPublished ? published?.spearman(one, name) : undefined));
      if (!published || stated.every((value) => value === undefined)) return [[ours]];
      const theirs = stated.map((value) => numberCell(value, 2));
      const head = [textCell(published.ownTitle(one)), textCell(published.source)];
      return [[ours, [...head, ...theirs, countCell(published.ranked)]]];
    }),
  };
}

function pairCell(solution: number | undefined, input: number | undefined): Cell {
  const text = [solution, input].map((value) => (value === undefined ? NOTHING : fixed(value, 2)));
  return { text: text.join(" / "), values: [solution ?? null, input ?? null] };
}
