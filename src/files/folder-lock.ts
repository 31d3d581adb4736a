import { randomUUID } from "node:crypto";
import { link, lstat, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FileError } from "../errors.js";
import { fileError, makeFolder } from "./disk.js";

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own units, since process numbers are used again; null if unknown. */
  readonly started: string | null;
}

const NAME = ".lock";
/** Removing a stale lock takes far less than this; a permit that is older was left by a killed process. */
const PERMIT_MS = 10_000;
/** Writing a line takes far less than this; a file without one that is older was left by a killed process. */
const ASKING_MS = 60_000;
/** How often a lock may be let go just as it is looked at, 10 ms apart, before something else is wrong. */
const MOST_MISSES = 1000;

/**
 * Takes a folder for this process alone; the function that comes back lets it go. A lock whose process is gone is
 * taken over. One that is held, or that cannot be read, is waited for during `patience` seconds (default 0), then refused
 * with a `FileError`.
 */
export async function lockFolder(
  folder: string,
  options: { readonly patience?: number } = {},
): Promise<() => Promise<void>> {
  const { patience = 0 } = options;
  const path = join(folder, NAME);
  const own = JSON.stringify({ pid: process.pid, host: hostname(), started: await startOf(process.pid) });
  const mine = `${path}.${randomUUID()}`;
  const deadline = Date.now() + 1000 * patience;
  try {
    await makeFolder(resolve(folder));
    await writeFile(mine, own, { flush: true });
    for (let misses = 0; misses < MOST_MISSES; ) {
      if (await linked(mine, path)) {
        await tidy(folder);
        return () => rm(path, { force: true });
      }
      const text = await readLock(path).catch((error) => {
        if (Date.now() >= deadline) throw unreadable(error, folder, path);
        return pause(90, undefined);
      });
      const holder = parseHolder(text ?? "");
      if (text === undefined) {
        misses++; // let go in between
        await pause(10);
      } else if (!holder || (await isGone(holder))) await takeAway(path, text, mine);
      else if (Date.now() >= deadline) throw new FileError(refusal(folder, path, holder));
      else await pause(100);
    }
    throw new FileError(`${folder} cannot be locked: ${path} can be neither created nor read; delete it`);
  } catch (error) {
    throw fileError(error, folder, "write");
  } finally {
    await rm(mine, { force: true }).catch(() => undefined);
  }
}

/** Removes what processes that were killed as they asked for a lock have left. */
async function tidy(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(`${NAME}.`))) {
    const path = join(folder, name);
    const text = await readLock(path).catch(() => undefined);
    if (text === undefined) continue; // gone, or somebody else's
    const asker = parseHolder(text);
    const age = Date.now() - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (asker ? await isGone(asker) : age > ASKING_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Who holds the lock of a folder, if a running process does. */
export async function lockHolder(folder: string): Promise<{ pid: number; host: string } | undefined> {
  const text = await readLock(join(folder, NAME)).catch(() => undefined);
  const holder = parseHolder(text ?? "");
  return holder && !(await isGone(holder)) ? holder : undefined;
}

/** Removes the lock of a process that is gone. */
export async function releaseGone(folder: string): Promise<void> {
  const text = await readLock(join(folder, NAME)).catch(() => undefined);
  if (text === undefined || (await lockHolder(folder))) return;
  const release = await lockFolder(folder).catch(() => undefined); // or somebody else has it now
  await release?.();
}

/** The text of a lock; undefined if there is none. A folder, a link or a pipe in its place is a `FileError`. */
async function readLock(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isFile()) throw new FileError(`${path} is not a file`);
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function unreadable(error: unknown, folder: string, path: string): FileError {
  const { message } = fileError(error, path, "read") as Error;
  return new FileError(
    `${folder} may be in use by another process: ${message}; if none is running, delete ${path}, else choose another --out`,
  );
}

function refusal(folder: string, path: string, { pid, host }: Holder): string {
  const where = host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  return `${folder} is in use by ${where}: wait for it, or choose another --out (if it no longer runs, delete ${path})`;
}

/**
 * Removes a stale lock. One process at a time may do so, the one that holds the link `.lock.break`, and it looks again
 * first: a lock that somebody has taken since `stale` was read is never removed.
 */
async function takeAway(path: string, stale: string, mine: string): Promise<void> {
  const permit = `${path}.break`;
  if (!(await linked(mine, permit))) {
    const status = await lstat(permit).catch(() => undefined);
    if (status?.isDirectory()) throw new FileError(`${permit} is a folder: delete it`);
    if (status && Date.now() - status.ctimeMs > PERMIT_MS) await rm(permit, { force: true });
    await pause(10);
    return;
  }
  try {
    if ((await readLock(path).catch(() => undefined)) === stale) await rm(path, { force: true });
  } finally {
    await rm(permit, { force: true });
  }
}

/** Gives a file a second name, which appears at once and with its contents; false if the name is taken. */
function linked(file: string, name: string): Promise<boolean> {
  return link(file, name).then(
    () => true,
    (error) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

async function isGone({ pid, host, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return false; // cannot be seen from here
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return true;
  }
  return started !== null && started !== (await startOf(pid));
}

/** Start time of a process in clock ticks after boot, where the system tells (proc(5), field 22 of `stat`). */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text);
    return typeof holder?.pid === "number" && typeof holder.host === "string" ? holder : undefined;
  } catch {
    return undefined;
  }
}
