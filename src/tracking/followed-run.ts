import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileError } from "../files/disk.js";
import { lockHolder } from "../files/lock/folder-lock.js";
import { type ExternalRun, readExternalFile } from "../records/external/external-run.js";
import { EXTERNAL_FOLDER, EXTERNAL_SUFFIX } from "../records/external/external-schema.js";
import { journalSoFar } from "../records/journal.js";
import { failureWords, readFailure } from "../records/run-failure.js";
import { isFinished, RUN_FILES, readRunRecord, runFolder } from "../records/run-folder.js";
import type { RunRecord } from "../records/run-record.js";
import { checkpointMetrics, type MeasuredLine } from "./checkpoint-metrics.js";
import { externalMetrics, externalTrackedRun } from "./external-tracked-run.js";
import { pointTimes } from "./point-times.js";
import { partitionMetrics, trackedRun } from "./tracked-run.js";
import type { TrackedEnd, TrackedPoint, TrackedRun } from "./tracker.js";

/** What the files of a run say at this moment. */
export interface RunView {
  readonly run: TrackedRun;
  readonly points: readonly TrackedPoint[];
  /** How it ended; undefined if it has not, or if nobody knows. */
  readonly end: TrackedEnd | undefined;
}

/** A run in a folder that may be written to at this moment. */
export interface FollowedRun {
  readonly id: string;
  /** Changes whenever its files do. */
  signature(): Promise<string>;
  /** Undefined while the run has not begun. */
  view(): Promise<RunView | undefined>;
  /** Whether a process works on it, as far as can be told. */
  isAtWork(): Promise<boolean>;
}

/** What the files of a run do not say of it. */
export interface RunSurroundings {
  /** The study of a run. */
  readonly studyOf: (id: string) => string;
  /** Facts about whoever trains it now. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** The runs of a folder that have begun: our own, and those that another program trained. */
export async function followedRuns(folder: string, surroundings: RunSurroundings): Promise<FollowedRun[]> {
  const own = (await namesIn(join(folder, "runs"))).map((id) => ownRun(folder, id, surroundings));
  const external = (await namesIn(join(folder, EXTERNAL_FOLDER)))
    .filter((name) => name.endsWith(EXTERNAL_SUFFIX))
    .map((name) => externalRun(join(folder, EXTERNAL_FOLDER, name), surroundings));
  return [...own, ...external];
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw fileError(error, folder, "read");
  });
  return names.filter((name) => !name.startsWith(".")).sort();
}

function ownRun(study: string, id: string, { studyOf, facts }: RunSurroundings): FollowedRun {
  const folder = runFolder(study, id);
  const path = (file: keyof typeof RUN_FILES) => join(folder, RUN_FILES[file]);
  return {
    id,
    signature: () => signatureOf([path("run"), path("journal"), path("failure")]),
    isAtWork: async () => (await lockHolder(folder)) !== undefined,
    async view() {
      // A record that cannot be read now is being written, or for `report` to complain about.
      const record = await readRunRecord(folder).catch(() => undefined);
      if (!record) return undefined;
      const known = trackedRun(record, studyOf(id));
      const run = { ...known, facts: { ...known.facts, ...facts } };
      const lines = await journalSoFar(path("journal"));
      const last = (await stat(path("journal")).catch(() => undefined))?.mtimeMs;
      return {
        run,
        points: pointsOf(record, lines, pointTimes(lines, run.started, endOf(record, last))),
        end: await ownEnd(folder, record, lines.at(-1)?.round ?? 0),
      };
    },
  };
}

function pointsOf(
  record: RunRecord,
  lines: readonly MeasuredLine[],
  times: readonly number[],
): TrackedPoint[] {
  const { communication } = record;
  const perRound = communication && communication.down + communication.up;
  return lines.map((line, i) => ({
    round: line.round,
    time: times[i],
    metrics: {
      ...(i === 0 && partitionMetrics(record.partition.metrics)),
      ...checkpointMetrics(line, perRound),
    },
  }));
}

/** When the last line was written; a copy of the file says nothing of that. */
function endOf(record: RunRecord, written: number | undefined): number {
  const finished = isFinished(record) ? Date.parse(record.result.finished) : Infinity;
  return Math.min(finished, written ?? Date.now());
}

async function ownEnd(folder: string, record: RunRecord, round: number): Promise<TrackedEnd | undefined> {
  const files = [RUN_FILES.run, RUN_FILES.model].map((file) => join(folder, file));
  if (isFinished(record)) {
    const { finished, seconds } = record.result;
    return {
      status: "finished",
      time: Date.parse(finished),
      metrics: { training_seconds: seconds },
      round,
      files,
    };
  }
  const failure = await readFailure(folder);
  if (!failure) return undefined;
  const [time, message] = [Date.parse(failure.failed), failureWords(failure)];
  return { status: "failed", time, message, metrics: {}, round, files: files.slice(0, 1) };
}

function externalRun(path: string, { studyOf }: RunSurroundings): FollowedRun {
  const id = basename(path, EXTERNAL_SUFFIX);
  return {
    id,
    signature: () => signatureOf([path]),
    isAtWork: async () => Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) < QUIET_MS,
    async view() {
      const { run } = await readExternalFile(path);
      if (!run) return undefined;
      const { mtimeMs, birthtimeMs } = await stat(path);
      const tracked = externalTrackedRun(run, studyOf(id), Math.min(birthtimeMs || mtimeMs, mtimeMs));
      const times = pointTimes(run.checkpoints, tracked.started, mtimeMs);
      const points = run.checkpoints.map((line, i) => ({
        round: line.round,
        time: times[i],
        metrics: externalMetrics(run, line, i === 0),
      }));
      return { run: tracked, points, end: externalEnd(run, mtimeMs) };
    },
  };
}

/** Milliseconds after which a file of another program that does not grow is taken to be complete. */
const QUIET_MS = 600_000;

function externalEnd(
  { failure, rounds, checkpoints, path }: ExternalRun,
  time: number,
): TrackedEnd | undefined {
  const round = checkpoints.at(-1)?.round ?? 0;
  const end = { time, metrics: {}, round, files: [path] };
  if (failure !== undefined) return { ...end, status: "failed", message: failure };
  const isReached = rounds === undefined ? Date.now() - time > QUIET_MS : round >= rounds;
  return isReached ? { ...end, status: "finished" } : undefined;
}

/** Times and sizes of files: what a change of their contents changes too. */
async function signatureOf(paths: readonly string[]): Promise<string> {
  const all = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return all.map((status) => (status ? `${status.mtimeMs}:${status.size}` : "-")).join(" ");
}
