import { stat } from "node:fs/promises";
import { join } from "node:path";
import { lockHolder } from "../../../files/lock/folder-lock.js";
import { failureWords, readFailure } from "../../../records/run-failure.js";
import { isFinished, measuredRun, RUN_FILES, readRunRecord, runFolder } from "../../../records/run-folder.js";
import type { RunRecord } from "../../../records/run-record.js";
import type { MeasuredRun } from "../../../records/seed-record.js";
import type { RunStanding, SentMeasurements } from "../../study/study-events.js";
import type { Followed } from "./followed-runs.js";
import { type JournalTail, NO_LINES, readOn } from "./journal-tail.js";

type Run = Followed["runs"][number];

/** A run whose folder is looked at again and again, and what is known of it so far. */
export interface WatchedRun {
  readonly standing: RunStanding;
  /** What was measured since it was looked at last; undefined where nothing was. */
  readonly measured?: SentMeasurements;
  /** What cannot be read, a line each. */
  readonly problems: readonly string[];
  /** When its last checkpoint was written, in seconds since 1970; 0 before the first. */
  readonly reached: number;
  readonly record?: RunRecord;
  /** State of `run.json` as it was read. */
  readonly stamp: string;
  readonly tail: JournalTail;
  /** What is the same in all its rows, as it was sent last. */
  readonly common: string;
}

/** Looks at the folder of a run, of which `before` is known. Half-written and missing files are no errors. */
export async function lookAt(study: string, run: Run, before: WatchedRun | undefined): Promise<WatchedRun> {
  const folder = runFolder(study, run.id);
  const problems: string[] = [];
  const stamp = await stampOf(join(folder, RUN_FILES.run));
  const isSame = before?.stamp === stamp && stamp !== "" && before.record !== undefined;
  const record = isSame
    ? before.record
    : await readRunRecord(folder).catch((error) => {
        problems.push(error.message);
        return undefined;
      });
  const path = join(folder, RUN_FILES.journal);
  const tail = await readOn(path, before?.tail ?? NO_LINES).catch(() => NO_LINES);
  if (tail.broken.length > 0)
    problems.push(
      `${run.id}: ${lineWords(tail.broken)} of its journal ${tail.broken.length === 1 ? "is" : "are"} no measurement and left out`,
    );
  const times = await stat(path).catch(() => undefined);
  const measurements = record && measuredOf(run, record, tail, problems);
  const common = JSON.stringify(measurements?.common) ?? "";
  const isNew =
    common !== (before?.common ?? "") ||
    tail.lines.length !== before?.tail.lines.length ||
    tail.kept < before.tail.lines.length;
  return {
    standing: await standingOf(folder, run, record, tail),
    ...(measurements &&
      isNew && {
        measured: {
          id: run.id,
          ...(common !== before?.common && { common: measurements.common }),
          from: tail.kept,
          checkpoints: measurements.checkpoints.slice(tail.kept),
        },
      }),
    problems,
    reached: tail.lines.length > 0 ? (times?.mtimeMs ?? 0) / 1000 : 0,
    ...(record && { record }),
    stamp,
    tail,
    common,
  };
}

/** A run of which only that it is finished is known, from the table. */
export const finishedRun = ({ id, rounds }: Run): RunStanding => ({ id, state: "finished", round: rounds });
/** A run that has no folder. */
export const waitingRun = ({ id }: Run): RunStanding => ({ id, state: "waiting", round: 0 });

/** A text that changes as a file does; empty where there is none. */
export async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? `${found.mtimeMs}-${found.size}-${found.ino}` : "";
}

function measuredOf(
  { study, told }: Run,
  record: RunRecord,
  { lines }: JournalTail,
  problems: string[],
): MeasuredRun | undefined {
  try {
    const { common, checkpoints } = measuredRun({ record, journal: lines }, study);
    const { settings, overrides } = common;
    return {
      common: {
        ...common,
        settings: { ...settings, ...told },
        overrides: [...overrides, ...Object.keys(told)],
      },
      checkpoints,
    };
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}

async function standingOf(
  folder: string,
  { id, rounds }: Run,
  record: RunRecord | undefined,
  { lines }: JournalTail,
): Promise<RunStanding> {
  if (isFinished(record)) return { id, state: "finished", round: record.result.round };
  const round = Math.min(rounds, lines.at(-1)?.round ?? 0);
  const failure = await readFailure(folder);
  if (failure) return { id, state: "failed", round, failure: failureWords(failure) };
  if (await lockHolder(folder)) return { id, state: "running", round };
  return { id, state: record || lines.length > 0 ? "stopped" : "waiting", round };
}

const lineWords = (numbers: readonly number[]): string =>
  numbers.length === 1
    ? `line ${numbers[0]}`
    : `lines ${numbers.slice(0, 5).join(", ")}${numbers.length > 5 ? " and others" : ""}`;
