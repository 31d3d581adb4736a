import { join } from "node:path";
import { UserError } from "../errors.js";
import type { SeedRecord } from "../records/seed-record.js";
import { LATER_METRICS, UNKNOWN_OPTIONS, writeCsv } from "../records/seed-table.js";
import { recordsOfRuns } from "./collect-records.js";
import { RECORDS_CSV, RECORDS_PARQUET, readTableFile } from "./record-files.js";

/**
 * What is wrong with the table of a folder, seen from its runs: a line a run and file. A study that is not `whole` may
 * have no table yet, or one without the runs that were finished since; rows that no run gives are always wrong.
 */
export async function tableProblems(
  folder: string,
  { whole }: { readonly whole: boolean },
): Promise<string[]> {
  try {
    const runs = byRun(await recordsOfRuns(folder, { checked: true }));
    const problems: string[] = [];
    const texts: string[] = [];
    for (const file of [RECORDS_PARQUET, RECORDS_CSV] as const) {
      const table = await readTableFile(folder, file);
      const path = join(folder, file);
      if (table) problems.push(...fileProblems(byRun(table), runs, whole).map((one) => `${path}: ${one}`));
      else if (whole) problems.push(`${path} is missing`);
      texts.push(table ? writeCsv(table) : "");
    }
    const lacking = [RECORDS_PARQUET, RECORDS_CSV].filter((_, i) => texts[i] === "");
    if (!whole && lacking.length === 1) problems.push(`${join(folder, lacking[0])} is missing`);
    if (problems.length === 0 && lacking.length === 0 && texts[0] !== texts[1])
      problems.push(`${join(folder, RECORDS_CSV)} and ${RECORDS_PARQUET} have different rows`);
    return problems;
  } catch (error) {
    if (error instanceof UserError) return [error.message];
    throw error;
  }
}

type RowsOfRuns = ReadonlyMap<string, readonly SeedRecord[]>;

function byRun(records: readonly SeedRecord[]): RowsOfRuns {
  const runs = new Map<string, SeedRecord[]>();
  for (const row of records) {
    const rows = runs.get(row.run_id);
    if (rows) rows.push(row);
    else runs.set(row.run_id, [row]);
  }
  return runs;
}

function fileProblems(table: RowsOfRuns, runs: RowsOfRuns, whole: boolean): string[] {
  const problems: string[] = [];
  const all = [...table.values()].flat();
  // A table of an earlier version knows them of no run.
  const absent = LATER_METRICS.filter((name) => all.every((row) => Number.isNaN(row[name])));
  for (const [id, rows] of table) {
    const expected = runs.get(id);
    const problem = expected
      ? difference(rows, expected, absent)
      : "the table has rows of it, but the run or its reference is missing or not finished";
    if (problem) problems.push(`run ${id}: ${problem}`);
  }
  const lacking = [...runs.keys()].filter((id) => !table.has(id));
  if (whole) for (const id of lacking) problems.push(`run ${id}: the table lacks its rows`);
  return problems;
}

/** The first thing in which rows of a run differ from what the run gives; undefined if there is none. */
function difference(
  rows: readonly SeedRecord[],
  expected: readonly SeedRecord[],
  absent: readonly (keyof SeedRecord)[],
): string | undefined {
  const rounds = (of: readonly SeedRecord[]) => of.map(({ round }) => round).join(", ");
  if (rounds(rows) !== rounds(expected))
    return `the table has rows of rounds ${rounds(rows)}, not ${rounds(expected)}`;
  for (const [i, row] of rows.entries()) {
    const told = settingsDifference(row, expected[i]);
    if (told) return told;
    // A D_theta that is not known is that of a run whose arrays were left behind.
    const name = (Object.keys(expected[i]) as (keyof SeedRecord)[]).find(
      (column) =>
        !SETTINGS.includes(column) &&
        !Object.is(row[column], expected[i][column]) &&
        !(column === "d_theta" && Number.isNaN(expected[i][column])) &&
        !absent.includes(column),
    );
    if (name) return `${name} of round ${row.round} is ${row[name]}, not ${expected[i][name]}`;
  }
  return undefined;
}

/** Columns of settings, and what tables of the first layout lack. */
const SETTINGS: readonly (keyof SeedRecord)[] = ["settings", "overrides", "title"];

/** The first setting in which a row differs; rows of some earlier tables do not tell all of them. */
function settingsDifference(row: SeedRecord, expected: SeedRecord): string | undefined {
  const isKnown = !row.overrides.includes(UNKNOWN_OPTIONS);
  const names = Object.keys({ ...row.settings, ...(isKnown ? expected.settings : {}) });
  const name = names.find((one) => row.settings[one] !== expected.settings[one]);
  if (name) return `${name} of round ${row.round} is ${row.settings[name]}, not ${expected.settings[name]}`;
  const [own, its] = [row, expected].map(({ overrides }) => [...overrides].sort().join(" "));
  if (isKnown && own !== its) return `overrides of round ${row.round} are "${own}", not "${its}"`;
  return undefined;
}
