import { readdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileError } from "../../files/disk.js";
import type { KnownRun } from "../tracker.js";
import { type ReadEvent, readEvent } from "./events.js";
import { END_TAG, readEnd, START_TAG } from "./hparams.js";
import { records } from "./record-file.js";

/** What the names of event files begin with; TensorBoard looks for it. */
const PREFIX = "events.out.tfevents.";
/** What the files have that say how a run ended, so that they can go when it is carried out again. */
export const END_SUFFIX = ".end";

/** The event files of a run in the order in which TensorBoard reads them. */
export async function eventFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw fileError(error, folder, "read");
  });
  return names.filter((name) => name.startsWith(PREFIX)).sort();
}

let made = 0;

/** A name for a new file, after those that are there: TensorBoard reads no file that comes before one that it has read. */
export function nextName(names: readonly string[], suffix = ""): string {
  const [, last = "0"] = /^events\.out\.tfevents\.(\d+)/.exec(names.at(-1) ?? "") ?? [];
  const seconds = Math.max(Math.floor(Date.now() / 1000), Number(last) + 1);
  const host = hostname().replace(/[^A-Za-z0-9-]/g, "-");
  return `${PREFIX}${String(seconds).padStart(10, "0")}.${host}.${process.pid}.${made++}${suffix}`;
}

/** The events of a file up to the first that is damaged or half written. */
export async function readEvents(path: string): Promise<ReadEvent[]> {
  const file = await readFile(path).catch((error) => {
    throw fileError(error, path, "read");
  });
  const events: ReadEvent[] = [];
  for (const data of records(file)) {
    try {
      events.push(readEvent(data));
    } catch {
      return events;
    }
  }
  return events;
}

/** What the files of a run hold of it. */
export interface LoggedRun extends KnownRun {
  /** Who computed it; undefined where there are no files of ours. */
  readonly attempt: string | undefined;
  readonly hasStart: boolean;
}

export async function loggedRun(folder: string): Promise<LoggedRun> {
  let found: LoggedRun = {
    attempt: undefined,
    hasStart: false,
    round: -1,
    compared: -1,
    status: undefined,
  };
  for (const name of await eventFiles(folder)) {
    for (const { step, writer, isSessionStart, tags } of await readEvents(join(folder, name))) {
      if (isSessionStart) found = { ...found, round: -1, compared: -1, status: undefined };
      const end = tags.get(END_TAG);
      found = {
        attempt: writer ?? found.attempt,
        hasStart: found.hasStart || tags.has(START_TAG),
        round: tags.has("test_error") ? Math.max(found.round, step) : found.round,
        compared: tags.has("excess_error") ? Math.max(found.compared, step) : found.compared,
        status: end ? readEnd(end) : found.status,
      };
    }
  }
  return found;
}
