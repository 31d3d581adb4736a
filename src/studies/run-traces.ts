import { join } from "node:path";
import { readJournal } from "../records/journal.js";
import { isFinished, RUN_FILES, readRunRecord, runFolder } from "../records/run-folder.js";
import type { RunTrace } from "../records/run-trace.js";
import { externalTraces } from "./external-runs.js";

/** Traces of those runs whose folders are there and finished, and of those that another program trained. */
export async function runTraces(folder: string, ids: readonly string[]): Promise<RunTrace[]> {
  const traces: RunTrace[] = [];
  for (const id of ids) {
    const run = runFolder(folder, id);
    const record = await readRunRecord(run).catch(() => undefined);
    if (!isFinished(record) || record.id !== id) continue;
    const losses = await readJournal(join(run, RUN_FILES.journal)).catch(() => []);
    traces.push({
      run_id: id,
      losses: losses.map(({ round, train_loss }) => ({ round, train_loss })),
      counts: record.partition.counts,
    });
  }
  return [...traces, ...(await externalTraces(folder, ids))];
}
