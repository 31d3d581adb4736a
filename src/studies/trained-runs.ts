import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "../files/disk.js";
import { canonicalJson } from "../records/content-hash.js";
import type { MissingRun } from "../records/missing-run.js";
import { isFinished, readMeasuredRun, readRunRecord, runFolder } from "../records/run-folder.js";
import type { RecordedOptions, RunRecord } from "../records/run-record.js";
import {
  type MeasuredRun,
  recordsWithoutReference,
  type SeedRecord,
  seedRecords,
} from "../records/seed-record.js";
import { type RecordedSettings, type Settings, settingsOf } from "../records/settings.js";
import { DEFAULT_REFERENCE } from "./default-reference.js";
import { rowOf, unfinishedWords } from "./missing-runs.js";

/** What the table names in place of a study. */
const STUDY = "train";

/** Options that are no settings, though `train` may vary them within a folder. */
const UNTOLD = ["rounds", "threads"] as const;

/** A run of `train --out`, and what it is compared with. */
export interface TrainedRun {
  readonly record: RunRecord;
  /** The run at the near-IID concentration with the same seed and options, where the folder has one. */
  readonly reference?: RunRecord;
  /** The near-IID concentration; NaN where no run of the same options but for the seed has it. */
  readonly referenceAlpha: number;
  /** What else tells it from other runs of the folder. */
  readonly told: Settings;
}

/**
 * The runs of a folder that belong to no study, in the order of their names.
 *
 * @param onDamage told of a record that cannot be read, and the others are returned; without it, the first one is an error
 */
export async function trainedRuns(
  folder: string,
  onDamage?: (problem: string) => void,
): Promise<TrainedRun[]> {
  const records: RunRecord[] = [];
  for (const name of await runNames(folder)) {
    const record = await readRunRecord(runFolder(folder, name)).catch((error) => {
      if (!onDamage) throw error;
      onDamage(error.message);
      return undefined;
    });
    if (record) records.push(record);
  }
  const varied = UNTOLD.filter((name) => new Set(records.map(({ options }) => options[name])).size > 1);
  const near = records.filter(({ options }) => options.alpha === DEFAULT_REFERENCE);
  return records.map((record) => {
    const { options } = record;
    const hasNear = near.some((one) => isReferenceOf(ofAnySeed(one.options), ofAnySeed(options)));
    return {
      record,
      reference: near.find((one) => isReferenceOf(one.options, options)),
      referenceAlpha: hasNear ? DEFAULT_REFERENCE : NaN,
      told: Object.fromEntries(varied.map((name) => [name, options[name]])),
    };
  });
}

/** Seed-level records of all finished runs of `train --out`; excess and D_theta are NaN where a reference is missing. */
export async function trainedRecords(folder: string): Promise<SeedRecord[]> {
  const records: SeedRecord[] = [];
  for (const { record, reference, referenceAlpha, told } of await trainedRuns(folder)) {
    if (!isFinished(record)) continue;
    const measured = async ({ id }: RunRecord) => {
      const { common, checkpoints } = await readMeasuredRun(runFolder(folder, id), STUDY);
      return { common: { ...common, ...withTold(common, told) }, checkpoints } satisfies MeasuredRun;
    };
    const own = await measured(record);
    records.push(
      ...(isFinished(reference)
        ? seedRecords(own, await measured(reference))
        : recordsWithoutReference(own, referenceAlpha)),
    );
  }
  return records;
}

/** Runs of `train --out` that are not finished, each with the reason. */
export async function missingTrainedRuns(folder: string): Promise<MissingRun[]> {
  const missing: MissingRun[] = [];
  for (const { record, referenceAlpha, told } of await trainedRuns(folder)) {
    const why = await unfinishedWords(runFolder(folder, record.id), record.options.rounds);
    if (why === undefined) continue;
    const row = rowOf(record.options, settingsOf(record), record.id);
    missing.push({ ...row, ...withTold(row, told), reference_alpha: referenceAlpha, why });
  }
  return missing;
}

function withTold({ settings, overrides }: RecordedSettings, told: Settings): RecordedSettings {
  return { settings: { ...settings, ...told }, overrides: [...overrides, ...Object.keys(told)] };
}

async function runNames(folder: string): Promise<string[]> {
  const below = join(folder, "runs");
  const names = await readdir(below).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw fileError(error, below, "read");
  });
  return names.filter((name) => !name.startsWith(".")).sort();
}

/**
 * Whether a near-IID run is the reference of another: it has the same options but for the concentration. A split without
 * a concentration is compared with the paper's, whatever its smallest client.
 */
function isReferenceOf(near: RecordedOptions, run: RecordedOptions): boolean {
  const split = ({ partitioner, min_size }: RecordedOptions) =>
    canonicalJson([partitioner ?? null, min_size]);
  const isSameSplit = run.alpha === null ? near.partitioner === undefined : split(near) === split(run);
  return isSameSplit && withoutSplit(near) === withoutSplit(run);
}

/** All options but those of the split. Data are what a file holds, wherever it lies. */
function withoutSplit(options: RecordedOptions): string {
  const { alpha: _, partitioner: __, target_distance: ___, min_size: ____, data, ...rest } = options;
  return canonicalJson({ ...rest, data: data?.sha256 ?? null });
}

/** Options without their seeds. */
const ofAnySeed = (options: RecordedOptions): RecordedOptions => ({ ...options, seed: 0, data_seed: 0 });
