import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FileError } from "../../errors.js";
import { fileError, makeFolder } from "../disk.js";
import { aliveBy, type Evidence, holderWords, ownHolder, SILENT_SECONDS } from "./holder.js";
import { type Holder, holderText, parseHolder } from "./holder-record.js";
import { type LockFileSystem, linked, NODE_FILES, readLock } from "./lock-files.js";

const NAME = ".lock";
/** Removing a stale lock takes far less than this; a permit that is older was left by a killed process. */
const PERMIT_MS = 10_000;
/** Writing a line takes far less than this; a file without one that is older was left by a killed process. */
const ASKING_MS = 60_000;
/** How often a lock may be let go just as it is looked at, 10 ms apart, before something else is wrong. */
const MOST_MISSES = 1000;
/** Milliseconds between two looks at a lock that has been held for long. */
const LONGEST_PAUSE_MS = 3000;
/** Milliseconds between two signs of life: many fit into the silence after which a lock counts as left behind. */
const HEARTBEAT_MS = 60_000;

/** A lock that this process holds. */
export interface FolderLock {
  /** Whether nobody has taken it over since; somebody may where this process was halted for long. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Seconds to wait for a lock that is held; default 0. */
  readonly patience?: number;
  /** Milliseconds between two signs of life; default 60,000. */
  readonly heartbeat?: number;
  readonly files?: LockFileSystem;
}

/** A folder that somebody else holds. */
export class FolderInUse extends FileError {
  override name = "FolderInUse";
  constructor(
    message: string,
    readonly holder: Pick<Holder, "pid" | "host" | "job">,
    /** How it is known that the holder is alive. */
    readonly alive: Evidence,
  ) {
    super(message);
  }
}

/**
 * Takes a folder for this process alone, also among machines that share a file system. A lock whose process is gone is
 * taken over. One that is held is waited for during `patience` seconds, then refused with `FolderInUse`; one that cannot
 * be read is a `FileError`.
 */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<FolderLock> {
  const { patience = 0, heartbeat = HEARTBEAT_MS, files = NODE_FILES } = options;
  const path = join(folder, NAME);
  const token = randomUUID();
  const own = holderText(await ownHolder(token));
  const mine = `${path}.${token}`;
  const began = Date.now();
  const deadline = began + 1000 * patience;
  /** The time by the clock of the file system's server, whose own times are compared with it. */
  const serverTime = async () => {
    await files.write(mine, own);
    return (await files.stat(mine)).mtimeMs;
  };
  try {
    await makeFolder(resolve(folder));
    let now = await serverTime();
    for (let misses = 0; misses < MOST_MISSES; ) {
      if (await linked(files, mine, path, own)) {
        await tidy(files, folder, now);
        return held(files, path, own, heartbeat);
      }
      const lock = await readLock(files, path).catch((error) => {
        if (Date.now() >= deadline) throw unreadable(error, folder, path);
        return pause(90, undefined);
      });
      now = await serverTime();
      const holder = parseHolder(lock?.text ?? "");
      const alive = holder && lock && (await aliveBy(holder, (now - lock.written) / 1000));
      if (lock === undefined) {
        misses++; // let go in between
        await pause(10);
      } else if (!holder || !alive) await takeAway(files, { path, lock, mine, own, now });
      else if (Date.now() >= deadline) throw new FolderInUse(refusal(folder, path, holder), holder, alive);
      else await pause(Math.min(100 + (Date.now() - began) / 20, LONGEST_PAUSE_MS));
    }
    throw new FileError(`${folder} cannot be locked: ${path} can be neither created nor read; delete it`);
  } catch (error) {
    throw fileError(error, folder, "write");
  } finally {
    await files.remove(mine).catch(() => undefined);
  }
}

/** The lock that was taken. It gives signs of life until it is released, or another has taken it over. */
function held(files: LockFileSystem, path: string, own: string, heartbeat: number): FolderLock {
  const isHeld = async () => (await readLock(files, path).catch(() => undefined))?.text === own;
  // Writing the same text sets its time by the server's clock. What fails now may work the next time.
  const beat = setInterval(async () => {
    if (await isHeld()) await files.overwrite(path, own).catch(() => undefined);
  }, heartbeat);
  beat.unref();
  return {
    isHeld,
    async release() {
      clearInterval(beat);
      if (await isHeld()) await files.remove(path);
    },
  };
}

/** Removes what processes that were killed as they asked for a lock have left. */
async function tidy(files: LockFileSystem, folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(`${NAME}.`))) {
    const path = join(folder, name);
    const lock = await readLock(files, path).catch(() => undefined);
    if (lock === undefined) continue; // gone, or somebody else's
    const asker = parseHolder(lock.text);
    const age = now - lock.written;
    const isLeft = asker ? !(await aliveBy(asker, age / 1000)) : age > ASKING_MS;
    if (isLeft) await files.remove(path).catch(() => undefined);
  }
}

/** What the lock of a folder says of its holder. */
export interface LockState {
  readonly holder: Pick<Holder, "pid" | "host" | "job">;
  /** How it is known that the holder is alive; undefined if it is gone. */
  readonly alive: Evidence | undefined;
}

/** The lock of a folder, if it has one; changes nothing, and so goes by this machine's clock. */
export async function lockState(folder: string): Promise<LockState | undefined> {
  const lock = await readLock(NODE_FILES, join(folder, NAME)).catch(() => undefined);
  const holder = parseHolder(lock?.text ?? "");
  if (!lock || !holder) return undefined;
  const alive = await aliveBy(holder, (Date.now() - lock.written) / 1000);
  const { pid, host, job } = holder;
  return { holder: { pid, host, ...(job && { job }) }, alive };
}

/** Who holds the lock of a folder, if a running process does. */
export async function lockHolder(folder: string): Promise<LockState["holder"] | undefined> {
  const state = await lockState(folder);
  return state?.alive && state.holder;
}

/** Removes the lock of a process that is gone. */
export async function releaseGone(folder: string): Promise<void> {
  const lock = await readLock(NODE_FILES, join(folder, NAME)).catch(() => undefined);
  if (lock === undefined || (await lockHolder(folder))) return;
  const own = await lockFolder(folder).catch(() => undefined); // or somebody else has it now
  await own?.release();
}

function unreadable(error: unknown, folder: string, path: string): FileError {
  const { message } = fileError(error, path, "read") as Error;
  return new FileError(
    `${folder} may be in use by another process: ${message}; if none is running, delete ${path}, else choose another --out`,
  );
}

function refusal(folder: string, path: string, holder: Holder): string {
  return `${folder} is in use by ${holderWords(holder)}: wait for it, or choose another --out (if it no longer runs, delete ${path})`;
}

/**
 * Removes a stale lock. One process at a time may do so, the one that holds the link `.lock.break`, and it looks again
 * first: a lock that somebody has taken since, or that has given a sign of life, is never removed.
 */
async function takeAway(
  files: LockFileSystem,
  { path, lock, mine, own, now }: { path: string; lock: Lock; mine: string; own: string; now: number },
): Promise<void> {
  const permit = `${path}.break`;
  if (!(await linked(files, mine, permit, own))) {
    const status = await files.stat(permit).catch(() => undefined);
    if (status?.isDirectory()) throw new FileError(`${permit} is a folder: delete it`);
    if (status && now - status.ctimeMs > PERMIT_MS) await files.remove(permit);
    await pause(10);
    return;
  }
  try {
    const again = await readLock(files, path).catch(() => undefined);
    if (again?.text === lock.text && again.written === lock.written) await files.remove(path);
  } finally {
    await files.remove(permit);
  }
}

type Lock = NonNullable<Awaited<ReturnType<typeof readLock>>>;

/** Seconds without a sign of life after which the lock of a process that nobody can ask for is taken over. */
export { SILENT_SECONDS };
