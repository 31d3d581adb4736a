import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { FormatError } from "../errors.js";
import type { ByteSource } from "../files/byte-source.js";
import { fileError, openFile } from "../files/disk.js";
import { readReplaceable } from "../files/stale-handles.js";
import { type JournalLine, readJournal } from "./journal.js";
import { metricProblems } from "./metric-problems.js";
import { recordedTask } from "./recorded-task.js";
import { type RunArrays, readRunArrays } from "./run-arrays.js";
import { hasDigest, MEND_RUN, parseRun, type RunRecord, type RunResult, runId } from "./run-record.js";
import type { MeasuredRun } from "./seed-record.js";
import { settingsOf } from "./settings.js";

/** Files of a run's folder. */
export const RUN_FILES = {
  /** What it is and what came out; written when the run starts, and again, as the last of all, when it is finished. */
  run: "run.json",
  journal: "journal.jsonl",
  arrays: "arrays.npz",
  parameters: "parameters.safetensors",
  /** The trained operator. */
  model: "model.onnx",
  /** Only while the run is not finished. */
  state: "state.npz",
  /** Only of a run that failed, until it is carried out again. */
  failure: "failure.json",
} as const;

export type FinishedRecord = RunRecord & { readonly result: RunResult };

/** A finished run: its record, journal and arrays. */
export interface FinishedRun {
  readonly record: FinishedRecord;
  readonly journal: readonly JournalLine[];
  readonly arrays: RunArrays;
}

/** The folder of a run in that of its study. */
export function runFolder(study: string, id: string): string {
  return join(study, "runs", id);
}

/** The record of a run, or undefined if it has not begun. */
export async function readRunRecord(folder: string): Promise<RunRecord | undefined> {
  const path = join(folder, RUN_FILES.run);
  try {
    return await parseRun(await readReplaceable(path), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(error, path, "read");
  }
}

/**
 * The record of a run that is about to be carried out, or undefined if it has not begun. Where the record cannot be read
 * the run begins again, unless it was finished: then it is refused, since whoever made it must say that it may go.
 */
export async function readRecordToCarryOut(folder: string): Promise<RunRecord | undefined> {
  try {
    return await readRunRecord(folder);
  } catch (error) {
    const has = (file: keyof typeof RUN_FILES) => existsSync(join(folder, RUN_FILES[file]));
    const wasFinished = !has("state") && (has("arrays") || has("parameters") || has("model"));
    if (!wasFinished || !(error instanceof FormatError)) return undefined;
    throw error.message.endsWith(MEND_RUN) ? error : new FormatError(`${error.message}: ${MEND_RUN}`);
  }
}

/** Whether a run is finished: its record says what came out. */
export function isFinished(record: RunRecord | undefined): record is FinishedRecord {
  return record?.status === "finished" && record.result !== undefined;
}

type WithoutArrays = Omit<FinishedRun, "arrays">;

/** Reads the record, journal and arrays of a finished run. */
export async function readFinishedRun(folder: string): Promise<FinishedRun> {
  return { ...(await readWithoutArrays(folder)), arrays: await withFile(arraysOf(folder), readRunArrays) };
}

async function readWithoutArrays(folder: string): Promise<WithoutArrays> {
  const record = await readRunRecord(folder);
  if (!isFinished(record)) throw new FormatError(`${folder} is not finished`);
  return { record, journal: await readJournal(join(folder, RUN_FILES.journal)) };
}

const arraysOf = (folder: string): string => join(folder, RUN_FILES.arrays);

/**
 * A finished run as the seed-level table joins it. Its arrays may have been left behind, on the machine where it was
 * computed or to save room: then all but D_theta is known. Whatever goes into the table is compared with its hash first,
 * or computed again where a record of the earlier layout has none, unless the caller has done so (`checked`).
 */
export async function readMeasuredRun(
  folder: string,
  study: string,
  { checked = false }: { readonly checked?: boolean } = {},
): Promise<MeasuredRun> {
  const hasArrays = existsSync(arraysOf(folder));
  if (!checked) {
    const record = await readRunRecord(folder);
    if (!isFinished(record)) throw new FormatError(`${folder} is not finished`);
    await checkName(folder, record);
    await checkFile(folder, record, RUN_FILES.journal);
    if (hasArrays) await checkFile(folder, record, RUN_FILES.arrays);
  }
  if (!hasArrays) return measuredRun(await readWithoutArrays(folder), study);
  const run = await readFinishedRun(folder);
  const [problem] = checked || hasDigest(run.record) ? [] : metricProblems(run.record, run.arrays);
  if (problem) throw new FormatError(`${join(folder, RUN_FILES.run)}: ${problem}: ${MEND_RUN}`);
  return measuredRun(run, study);
}

/** Refuses a record that is not that of its folder, or whose options are not those that its name is a hash of. */
async function checkName(folder: string, { id, options, made_with }: RunRecord): Promise<void> {
  if (id !== basename(folder) || id !== (await runId(options, made_with.partition)))
    throw new FormatError(
      `${join(folder, RUN_FILES.run)}: its id does not match its options or its folder: ${MEND_RUN}`,
    );
}

/** Refuses a file of a finished run that is not what was written. */
export async function checkFile(folder: string, record: FinishedRecord, file: string): Promise<void> {
  const path = join(folder, file);
  if ((await fileSha256(path)) !== record.result.files[file])
    throw new FormatError(`${path} has changed since it was written (wrong SHA-256): ${MEND_RUN}`);
}

const HASH_STEP = 1 << 22;

/** SHA-256 of a file, read step by step. */
export function fileSha256(path: string): Promise<string> {
  return withFile(path, async (file) => {
    const hash = createHash("sha256");
    for (let at = 0; at < file.size; at += HASH_STEP)
      hash.update(await file.read(at, Math.min(HASH_STEP, file.size - at)));
    return hash.digest("hex");
  });
}

/** A run as the seed-level table joins it, from what is known of it; also one that is still going on. */
export function measuredRun(
  { record, journal, arrays }: Pick<FinishedRun, "journal"> & { record: RunRecord; arrays?: RunArrays },
  study: string,
): MeasuredRun {
  const { id, options, partition, data } = record;
  const { alpha, seed } = options;
  const metric = (name: string) => {
    if (name in partition.metrics) return partition.metrics[name] ?? NaN; // null: it was not measured
    throw new FormatError(`run ${id}: its record has no ${name}`);
  };
  return {
    common: {
      study,
      task: recordedTask(options),
      ...(data.title !== undefined && { title: data.title }),
      ...settingsOf(record),
      alpha: alpha ?? NaN,
      // Earlier versions had the paper's partitioner alone.
      split: partition.split ?? `alpha ${alpha}`,
      seed,
      d_sol: metric("d_sol"),
      input_w1: metric("input_w1"),
      cv_n: metric("cv_n"),
      n_min: metric("n_min"),
      n_max: metric("n_max"),
      h_q: metric("h_q"),
      h_w: metric("h_w"),
      d_sol_floor: partition.metrics.d_sol_floor ?? NaN, // earlier versions did not measure it
      tv: partition.metrics.tv ?? NaN,
      js: partition.metrics.js ?? NaN,
      eps_part: metric("eps_part"),
      eps_quant: metric("eps_quant"),
      communication: record.communication ? record.communication.down + record.communication.up : NaN,
      h_g_norm: journal.find((line) => line.h_g_norm !== null)?.h_g_norm ?? NaN,
      run_id: id,
    },
    checkpoints: journal.map(({ round, test_error, d_loc, clients }) => {
      const row = arrays?.rounds.indexOf(round) ?? 0;
      if (row < 0) throw new FormatError(`run ${id} has no parameters of round ${round}`);
      const parameters = arrays?.parameters[row];
      return { round, test_error, d_loc, clients, parameters };
    }),
  };
}

/** Uses a file and closes it. */
export async function withFile<T>(path: string, use: (file: ByteSource) => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
