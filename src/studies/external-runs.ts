import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FormatError } from "../errors.js";
import { fileError } from "../files/disk.js";
import {
  brief,
  type MeasuredExternalRun,
  measuredExternalRun,
} from "../records/external/external-measurements.js";
import { type ExternalFile, type ExternalRun, readExternalFile } from "../records/external/external-run.js";
import { EXTERNAL_FOLDER, EXTERNAL_SUFFIX } from "../records/external/external-schema.js";
import type { MissingRun } from "../records/missing-run.js";
import type { RunTrace } from "../records/run-trace.js";
import { recordsWithoutReference, type SeedRecord, seedRecords } from "../records/seed-record.js";
import { settingKey } from "../records/settings.js";
import { DEFAULT_REFERENCE } from "./default-reference.js";

/** The smallest concentration that counts as near-IID where no run has that of our own references. */
const LEAST_REFERENCE = 10;

/** A run that another program trained, and what it is compared with. */
export interface PairedRun {
  readonly run: ExternalRun;
  /** What is wrong with its file. */
  readonly problem: string | undefined;
  /** The near-IID run of the same seed and settings. */
  readonly reference: ExternalRun | undefined;
  /** Its concentration; NaN where no seed has such a run. */
  readonly referenceAlpha: number;
}

/** The files of such runs in a folder, in the order of their names. */
export async function externalFiles(folder: string): Promise<ExternalFile[]> {
  const below = join(folder, EXTERNAL_FOLDER);
  const names = await readdir(below).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw fileError(error, below, "read");
  });
  const files: ExternalFile[] = [];
  for (const name of names.filter((name) => name.endsWith(EXTERNAL_SUFFIX) && !name.startsWith(".")).sort())
    files.push(await readExternalFile(join(below, name)));
  return files;
}

/** Runs that another program trained, each with its reference. Two that a table could not tell apart are refused. */
export async function externalRuns(folder: string): Promise<PairedRun[]> {
  const files = (await externalFiles(folder)).filter(
    (file): file is ExternalFile & { readonly run: ExternalRun } => file.run !== undefined,
  );
  const groups = new Map<string, ExternalRun[]>();
  const places = new Map<string, ExternalRun>();
  for (const { run } of files) {
    const twin = places.get(placeOf(run));
    if (twin)
      throw new FormatError(
        `${twin.path} and ${run.path} have the same task, settings, split and seed: name in the first line what differs, or move one of them away`,
      );
    places.set(placeOf(run), run);
    groups.set(groupOf(run), [...(groups.get(groupOf(run)) ?? []), run]);
  }
  return files.map(({ run, problem }) => {
    const group = groups.get(groupOf(run))!;
    const referenceAlpha = referenceAlphaOf(group);
    const reference = group.find(({ seed, alpha }) => seed === run.seed && alpha === referenceAlpha);
    return { run, problem, reference, referenceAlpha };
  });
}

/** Runs that differ in split and seed alone. */
function groupOf({ task, settings }: ExternalRun): string {
  const { partitioner: _, ...others } = settings;
  return settingKey(others, task);
}

function placeOf({ task, settings, alpha, split, seed }: ExternalRun): string {
  return settingKey(settings, task, String(alpha), split, seed);
}

/** That of our own references or, where a group has no run at it, the largest one that is near-IID. */
function referenceAlphaOf(group: readonly ExternalRun[]): number {
  const alphas = group.flatMap(({ alpha, settings }) =>
    alpha === null || settings.partitioner !== undefined ? [] : alpha,
  );
  if (alphas.includes(DEFAULT_REFERENCE)) return DEFAULT_REFERENCE;
  const largest = Math.max(...alphas);
  return largest >= LEAST_REFERENCE ? largest : NaN;
}

/**
 * Seed-level records of the runs of a folder that another program trained. A run that failed, or that has not reached the
 * rounds that it states, has none.
 *
 * @param onNotice told of lines and arrays that cannot be used
 */
export async function externalRecords(
  folder: string,
  onNotice?: (message: string) => void,
): Promise<SeedRecord[]> {
  for (const { problem } of await externalFiles(folder)) if (problem !== undefined) onNotice?.(problem);
  const paired = await externalRuns(folder);
  const records: SeedRecord[] = [];
  for (const { run, problem, reference, referenceAlpha } of paired) {
    if (unfinishedWords(run, problem) !== undefined) continue;
    const own = await measuredExternalRun(run);
    for (const one of own.problems) onNotice?.(one);
    const its = reference === undefined ? undefined : paired.find((pair) => pair.run === reference)!;
    const isUsable = its !== undefined && unfinishedWords(its.run, its.problem) === undefined;
    if (!isUsable) records.push(...recordsWithoutReference(own.measured, referenceAlpha));
    else records.push(...(await comparedRecords(run, own, its.run, onNotice)));
  }
  return records;
}

async function comparedRecords(
  run: ExternalRun,
  own: MeasuredExternalRun,
  reference: ExternalRun,
  onNotice?: (message: string) => void,
): Promise<SeedRecord[]> {
  const its = run === reference ? own : await measuredExternalRun(reference);
  const [data, other] = [run, reference].map(({ partition }) => partition?.dataSha256);
  if (data !== undefined && other !== undefined && data !== other) {
    onNotice?.(
      `${run.path}: its partition is of other data than that of its reference ${reference.id}: not compared`,
    );
    return recordsWithoutReference(own.measured, reference.alpha ?? NaN);
  }
  const known = new Set(reference.checkpoints.map(({ round }) => round));
  const lonely = run.checkpoints.filter(({ round }) => !known.has(round));
  if (lonely.length > 0)
    onNotice?.(
      `${run.path}:${lonely[0].line}: ${reference.id}, its reference, has no checkpoint at ` +
        `round${lonely.length > 1 ? "s" : ""} ${lonely.map(({ round }) => round).join(", ")}: left out`,
    );
  if (own.layout === undefined || its.layout === undefined || own.layout === its.layout)
    return seedRecords(own.measured, its.measured);
  onNotice?.(
    `${run.path}: its parameters are ${brief(own.layout)}, those of its reference ${reference.id} ${brief(its.layout)}: D_theta is unknown`,
  );
  const checkpoints = own.measured.checkpoints.map((one) => ({ ...one, parameters: undefined }));
  return seedRecords({ ...own.measured, checkpoints }, its.measured);
}

/** Why a run has no records; undefined if it has. */
function unfinishedWords(
  { failure, checkpoints, rounds }: ExternalRun,
  problem: string | undefined,
): string | undefined {
  if (failure !== undefined) return failure.startsWith("diverged") ? failure : `failed: ${failure}`;
  if (problem !== undefined) return `failed: ${problem}`;
  const last = checkpoints.at(-1);
  if (last === undefined) return "not finished";
  const isReached = rounds === undefined || last.round >= rounds;
  return isReached ? undefined : `not finished, at round ${last.round} of ${rounds}`;
}

/** Runs that have no records, each with the reason. */
export async function missingExternalRuns(folder: string): Promise<MissingRun[]> {
  return (await externalRuns(folder)).flatMap(({ run, problem, referenceAlpha }) => {
    const why = unfinishedWords(run, problem);
    const { id, task, title, settings, alpha, seed } = run;
    const row = { task, ...(title !== undefined && { title }), settings, overrides: [], seed, run_id: id };
    return why === undefined ? [] : { ...row, alpha: alpha ?? NaN, reference_alpha: referenceAlpha, why };
  });
}

/** Losses and partitions of these runs, for a report. */
export async function externalTraces(folder: string, ids: readonly string[]): Promise<RunTrace[]> {
  return (await externalFiles(folder)).flatMap(({ run }) => {
    if (!run || !ids.includes(run.id)) return [];
    const losses = run.checkpoints.flatMap(({ round, train_loss }) =>
      typeof train_loss === "number" ? { round, train_loss } : [],
    );
    return { run_id: run.id, losses, counts: run.partition?.counts ?? [] };
  });
}
