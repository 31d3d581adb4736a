import { randomUUID } from "node:crypto";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../errors.js";
import { type Output, writeOutputs } from "../../files/disk.js";
import {
  FolderInUse,
  type FolderLock,
  type LockState,
  lockFolder,
  lockState,
  SILENT_SECONDS,
} from "../../files/lock/folder-lock.js";
import { holderWords } from "../../files/lock/holder.js";
import { readReplaceable } from "../../files/stale-handles.js";
import { type Part, partText } from "./part.js";

/** Where processes that work on a whole study are listed, in its folder; those with a part lie in `PARTS`. */
const WORKERS = "workers";
const PARTS = "parts";
const PART_FOLDER = /^(\d+)-of-(\d+)$/;
const PART_FILE = "part.json";
/** Seconds to wait for a part whose process nobody can look up: a little longer than its lock lives without a sign of life. */
const UNKNOWN = SILENT_SECONDS + 60;

/** The folder of a part: it has a lock while somebody works on it. */
const partFolder = (folder: string, { index, of }: Part): string => join(folder, PARTS, `${index}-of-${of}`);

/** A process that works on a study, or that did when it was killed. */
export interface Worker extends LockState {
  /** Its part of the study; undefined where it works on all of it. */
  readonly part: Part | undefined;
}

/** A part that somebody has begun, whatever became of it. */
export interface BegunPart {
  readonly part: Part;
  /** Its runs. */
  readonly runs: readonly string[];
}

/**
 * Lists this process among those that work on a study. Many may do so, but only one on the same part. The returned function
 * ends it.
 */
export async function joinWork(
  folder: string,
  share?: { readonly part: Part; readonly runs: readonly { readonly id: string }[] },
  onWaiting?: (message: string) => void,
): Promise<() => Promise<void>> {
  if (!share) await clearGone(folder);
  const own = share ? partFolder(folder, share.part) : join(folder, WORKERS, randomUUID().slice(0, 8));
  const ownLock = (patience: number): Promise<FolderLock> =>
    lockFolder(own, { patience }).catch((error) => {
      if (!share || !(error instanceof FolderInUse)) throw error;
      const part = `part ${partText(share.part)} of ${folder}`;
      const who = holderWords(error.holder);
      if (patience > 0 || error.alive !== "heartbeat")
        throw new FileError(`${part} is in the hands of ${who}: wait for it, or take another part`);
      // Such as a pod that was started again: nobody can tell what became of the one before.
      onWaiting?.(
        `${part} was last trained by ${who}: waiting up to ${UNKNOWN / 60} minutes for a sign of life`,
      );
      return ownLock(UNKNOWN);
    });
  const lock = await ownLock(0);
  const leave = async () => {
    await lock.release();
    const made = [own, join(folder, share ? PARTS : WORKERS)];
    for (const empty of made) await rmdir(empty).catch(() => undefined); // unless something is in it
  };
  try {
    if (share) await writeOutputs([partFile(own, share)], { force: true });
  } catch (error) {
    await leave();
    throw error;
  }
  return leave;
}

function partFile(
  own: string,
  { part, runs }: { readonly part: Part; readonly runs: readonly { readonly id: string }[] },
): Output {
  const text = JSON.stringify({ part: partText(part), runs: runs.map(({ id }) => id) }, undefined, 1);
  return { path: join(own, PART_FILE), bytes: new TextEncoder().encode(`${text}\n`) };
}

/** The processes that work on a study, and those that were killed as they did. Changes nothing. */
export async function workersOf(folder: string): Promise<Worker[]> {
  const all: [string, Part | undefined][] = [
    ...(await names(join(folder, WORKERS))).map((name): [string, undefined] => [
      join(folder, WORKERS, name),
      undefined,
    ]),
    ...(await partNames(folder)).map((part): [string, Part] => [partFolder(folder, part), part]),
  ];
  const states = await Promise.all(all.map(([own]) => lockState(own)));
  return states.flatMap((state, i) => (state ? [{ ...state, part: all[i][1] }] : []));
}

/** Those of them that are alive. */
export async function livingWorkers(folder: string): Promise<Worker[]> {
  return (await workersOf(folder)).filter(({ alive }) => alive);
}

/** The parts that somebody has begun. */
export async function begunParts(folder: string): Promise<BegunPart[]> {
  const parts: BegunPart[] = [];
  for (const part of await partNames(folder)) {
    const path = join(partFolder(folder, part), PART_FILE);
    const said = await readReplaceable(path)
      .then(JSON.parse)
      .catch(() => undefined);
    const runs = Array.isArray(said?.runs) ? said.runs : []; // being written, or damaged
    parts.push({ part, runs: runs.filter((id: unknown) => typeof id === "string") });
  }
  return parts;
}

async function partNames(folder: string): Promise<Part[]> {
  const parts = (await names(join(folder, PARTS))).flatMap((name) => {
    const [, index, of] = PART_FOLDER.exec(name) ?? [];
    return index === undefined ? [] : [{ index: Number(index), of: Number(of) }];
  });
  return parts.sort((a, b) => a.of - b.of || a.index - b.index);
}

/** Processes in words: `process 12 on node3`, or how many they are; undefined where there are none. */
export function workerWords(workers: readonly Pick<Worker, "holder">[]): string | undefined {
  if (workers.length > 1) return `${workers.length} processes`;
  return workers[0] && `process ${workers[0].holder.pid} on ${workers[0].holder.host}`;
}

/** Takes processes off the list that were killed. */
async function clearGone(folder: string): Promise<void> {
  for (const name of await names(join(folder, WORKERS))) {
    const own = join(folder, WORKERS, name);
    const state = await lockState(own);
    if (!state || state.alive) continue;
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }
}

function names(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
