import { join } from "node:path";
import { leftOut, leftOutSentence } from "../analysis/missing-runs.js";
import { isPapers } from "../analysis/own-settings.js";
import { PAPER_SUMMARY, REFERENCE_ALPHA } from "../analysis/paper-values.js";
import { paperExcess, paperReferenceError, settingOf } from "../analysis/settings.js";
import { mean } from "../analysis/statistics.js";
import { withFile } from "../records/run-folder.js";
import type { SeedRecord } from "../records/seed-record.js";
import { readParquet } from "../records/seed-table.js";
import { missingRuns } from "../studies/missing-runs.js";
import { RECORDS_PARQUET } from "../studies/record-files.js";
import { textTable } from "./table.js";

/**
 * Means over seeds at the last round, a line for every alpha of every task, from the table of a study's folder; below
 * those of the paper's runs of which it states a mean, its line; then the runs that means leave out. What all runs have otherwise than the paper is said above it.
 */
export async function studySummary(folder: string): Promise<string> {
  const records = await withFile(join(folder, RECORDS_PARQUET), readParquet);
  const changes = new Set(records.map(({ changed }) => changed));
  const groups = new Map<string, SeedRecord[]>();
  for (const record of lastRounds(records)) {
    const { task, viscosity, clients, optimizer, changed, alpha } = record;
    const name = [
      task,
      ...(viscosity === null ? [] : [viscosity]),
      ...(changed && changes.size > 1 ? [changed] : []),
    ].join(" ");
    const key = [name, clients, optimizer, alpha, record.reference_alpha].join("\t");
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const rows = [...groups].flatMap(([key, group]) => {
    const average = (column: "d_sol" | "h_g_norm" | "d_theta" | "test_error" | "excess_error") =>
      mean(group.map((record) => record[column]));
    const ours = [
      ...key.split("\t").slice(0, -1),
      String(group.length),
      ...[average("d_sol"), average("h_g_norm"), average("d_theta")].map((value) =>
        Number.isNaN(value) ? "–" : value.toFixed(3),
      ),
      (100 * average("test_error")).toFixed(2),
      average("excess_error").toFixed(2),
    ];
    return [ours, ...paperRow(group[0])];
  });
  const [shared] = changes;
  const head = shared && changes.size === 1 ? `All runs with ${shared}.\n` : "";
  const left = leftOut(records, await missingRuns(folder));
  const gaps = left.runs > 0 ? `\n${leftOutSentence(left)}` : "";
  return (
    head +
    textTable(
      ["task", "K", "optimizer", "alpha", "seeds", "D_sol", "H_g", "D_theta", "error %", "excess, points"],
      rows,
      ["left", "right", "left", ...new Array<"right">(7).fill("right")],
    ) +
    gaps
  );
}

/** The paper's values for the setting of a record, as far as it states any for this alpha. */
function paperRow(record: SeedRecord): string[][] {
  const { task, viscosity, clients, optimizer, alpha, round } = record;
  if (!isPapers(record, round)) return [];
  const setting = { task, viscosity, clients, optimizer };
  const excess = paperExcess(setting, alpha)?.mean;
  const error = alpha === REFERENCE_ALPHA ? paperReferenceError(setting) : undefined;
  const main = settingOf(task);
  const isMain = viscosity === main.viscosity && clients === main.clients && optimizer === main.optimizer;
  const summary = isMain && alpha === 0.01 ? PAPER_SUMMARY[task] : undefined;
  if (excess === undefined && error === undefined && !summary) return [];
  const cell = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "";
  const measured = [summary?.d_sol, summary?.h_g_norm, summary?.d_theta].map((value) => cell(value, 3));
  return [["  paper", "", "", String(alpha), "5", ...measured, cell(error, 2), cell(excess, 2)]];
}

function lastRounds(records: readonly SeedRecord[]): SeedRecord[] {
  const last = new Map<string, SeedRecord>();
  for (const record of records) {
    const key = `${record.run_id} ${record.reference_alpha}`;
    if (record.round >= (last.get(key)?.round ?? 0)) last.set(key, record);
  }
  return [...last.values()];
}
