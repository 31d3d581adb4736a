import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FormatError } from "../errors.js";
import { recordedTask } from "../federation/run-options.js";
import type { ByteSource } from "../files/byte-source.js";
import { fileError, openFile } from "../files/disk.js";
import { changedOptions } from "./changed-options.js";
import { type JournalLine, readJournal } from "./journal.js";
import { type RunArrays, readRunArrays } from "./run-arrays.js";
import { parseRun, type RunRecord, type RunResult } from "./run-record.js";
import type { MeasuredRun } from "./seed-record.js";

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

/** A finished run with all that its tables need. */
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
    return parseRun(await readFile(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(error, path, "read");
  }
}

/** Whether a run is finished: its record says what came out. */
export function isFinished(record: RunRecord | undefined): record is FinishedRecord {
  return record?.status === "finished" && record.result !== undefined;
}

type WithoutArrays = Omit<FinishedRun, "arrays">;

/** All of a finished run. */
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
 * computed or to save room: then all but D_theta is known.
 */
export async function readMeasuredRun(folder: string, study: string): Promise<MeasuredRun> {
  return existsSync(arraysOf(folder))
    ? measuredRun(await readFinishedRun(folder), study)
    : measuredRun(await readWithoutArrays(folder), study);
}

function measuredRun(run: FinishedRun | WithoutArrays, study: string): MeasuredRun {
  const { record, journal } = run;
  const arrays = "arrays" in run ? run.arrays : undefined;
  const { id, options, partition } = record;
  const { viscosity, clients, optimizer, alpha, seed } = options;
  const metric = (name: string) => partition.metrics[name] ?? NaN;
  return {
    common: {
      study,
      task: recordedTask(options),
      viscosity,
      clients,
      optimizer: optimizer.name,
      changed: changedOptions(options),
      alpha,
      seed,
      d_sol: metric("d_sol"),
      input_w1: metric("input_w1"),
      cv_n: metric("cv_n"),
      n_min: metric("n_min"),
      n_max: metric("n_max"),
      h_q: metric("h_q"),
      h_w: metric("h_w"),
      eps_part: metric("eps_part"),
      eps_quant: metric("eps_quant"),
      h_g_norm: journal.find((line) => line.h_g_norm !== null)?.h_g_norm ?? NaN,
      run_id: id,
    },
    checkpoints: journal.map(({ round, test_error, d_loc }) => {
      const row = arrays?.rounds.indexOf(round) ?? 0;
      if (row < 0) throw new FormatError(`run ${id} kept no parameters of round ${round}`);
      return { round, test_error, d_loc, parameters: arrays?.parameters[row] };
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
