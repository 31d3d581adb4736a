import { type Case, casesOf, groupsOf, overrideWords } from "../analysis/cases.js";
import { type LeftOut, leftOut, leftOutSentence } from "../analysis/missing-runs.js";
import { unmarked } from "../analysis/notation.js";
import { alphasOf } from "../analysis/observations.js";
import type { Published } from "../analysis/published.js";
import { type SplitGroup, splitsOf } from "../analysis/splits.js";
import { mean } from "../analysis/statistics.js";
import type { MissingRun } from "../records/missing-run.js";
import type { SeedRecord } from "../records/seed-record.js";

/** Results of a study in a few lines of text. */
export interface StudySummary {
  /** What all runs have otherwise than the defaults; empty where nothing is. */
  readonly head: string;
  readonly columns: readonly string[];
  readonly sides: readonly ("left" | "right")[];
  readonly rows: readonly (readonly string[])[];
  /** The runs that means leave out; empty where there are none. */
  readonly gaps: string;
}

/**
 * Means over seeds at the last round, a row for every alpha of every case; below those of runs with published settings,
 * the published row.
 */
export function studySummary(
  records: readonly SeedRecord[],
  missing: readonly MissingRun[],
  known?: Published,
): StudySummary {
  const splits = splitsOf(records, known);
  if (splits.length > 0) return splitSummary(splits, leftOut(records, missing, known));
  // Every group has rows of its own here, whatever tables of a report show apart.
  const cases = casesOf(groupsOf(records), known && { ...known, divided: () => ({ varied: [] }) });
  const divided = [...new Set(cases.map(({ task }) => task))].map((task) =>
    known?.divided(cases.filter((one) => one.task === task)),
  );
  const covered = divided.flatMap((one) => (one ? [...(one.main ? [one.main] : []), ...one.varied] : []));
  const left = leftOut(records, missing, known);
  return {
    head: sharedWords(cases, covered.length > 0),
    columns: ["case", "alpha", "seeds", "D_sol", "H_g", "D_theta", "error %", "excess, points"],
    sides: ["left", ...new Array<"right">(7).fill("right")],
    rows: cases.flatMap((one) =>
      alphasOf(one.final).flatMap((alpha) => [
        ownRow(one, alpha),
        ...(known && covered.includes(one) ? publishedRow(one, alpha, known) : []),
      ]),
    ),
    gaps: left.runs > 0 ? leftOutSentence(left) : "",
  };
}

/** A row for every split, where partitioners vary. */
function splitSummary(groups: readonly SplitGroup[], left: LeftOut): StudySummary {
  return {
    head: "",
    columns: ["data", "split", "seeds", "D_sol", "floor", "H_g", "D_theta", "error %", "excess, points"],
    sides: ["left", "left", ...new Array<"right">(7).fill("right")],
    rows: groups.flatMap(({ title, splits }) =>
      splits.map(({ label, final }) => [
        unmarked(title),
        unmarked(label),
        String(final.length),
        ...(["d_sol", "d_sol_floor", "h_g_norm", "d_theta"] as const).map((name) =>
          averageCell(final, name, 3),
        ),
        averageCell(final, "test_error", 2, 100),
        averageCell(final, "excess_error", 2),
      ]),
    ),
    gaps: left.runs > 0 ? leftOutSentence(left) : "",
  };
}

/** The mean of a column over runs, as text; a dash where a run lacks it. */
function averageCell(runs: readonly SeedRecord[], column: Averaged, digits: number, scale = 1): string {
  const value = scale * mean(runs.map((record) => record[column]));
  return Number.isNaN(value) ? "–" : value.toFixed(digits);
}

type Averaged = "d_sol" | "d_sol_floor" | "h_g_norm" | "d_theta" | "test_error" | "excess_error";

function sharedWords(cases: readonly Case[], isPublished: boolean): string {
  const [first = [], ...others] = cases.map((one) => overrideWords(one).slice(0, -1)); // rounds are in the report
  const shared = first.filter((words) => others.every((other) => other.includes(words)));
  return shared.length === 0 || isPublished ? "" : `All runs with ${unmarked(shared.join(", "))}.`;
}

function ownRow({ title, final }: Case, alpha: number): string[] {
  const runs = final.filter((row) => row.alpha === alpha);
  return [
    unmarked(title),
    String(alpha),
    String(runs.length),
    ...(["d_sol", "h_g_norm", "d_theta"] as const).map((column) => averageCell(runs, column, 3)),
    averageCell(runs, "test_error", 2, 100),
    averageCell(runs, "excess_error", 2),
  ];
}

/** Published values for a case, as far as any are stated for this alpha. */
function publishedRow(one: Case, alpha: number, known: Published): string[][] {
  const excess = known.excess(one, alpha)?.mean;
  const error = alpha === one.referenceAlpha ? known.referenceError(one) : undefined;
  const means = known.means(one, alpha);
  if (excess === undefined && error === undefined && !means) return [];
  const cell = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "";
  const measured = [means?.d_sol, means?.h_g_norm, means?.d_theta].map((value) => cell(value, 3));
  const row = [`  ${known.source}`, String(alpha), String(known.seeds), ...measured];
  return [[...row, cell(error, 2), cell(excess, 2)]];
}
