import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { isJobAlive, jobWords, ownJob } from "../../schedulers/schedulers.js";
import type { Holder } from "./holder-record.js";

/** Seconds without a sign of life after which a lock counts as left behind, where nothing better is known of its holder. */
export const SILENT_SECONDS = 600;
/** How long what a scheduler said of a job is taken for true: asking it often burdens everybody. */
const ASKED_MS = 30_000;

/** How it is known that a holder is alive. A `heartbeat` says only that it was not long ago. */
export type Evidence = "process" | "job" | "heartbeat";

/** This process as the holder of a lock. */
export async function ownHolder(token: string): Promise<Holder> {
  const job = ownJob();
  return {
    pid: process.pid,
    host: hostname(),
    machine: await machineIdentity(),
    started: await startOf(process.pid),
    token,
    ...(job && { job }),
  };
}

/**
 * How it is known that a holder is alive, or undefined if it is gone. A process of this machine is looked up. Of another
 * machine's the scheduler is asked for its job. Where it cannot tell, the lock's own age decides.
 *
 * @param silence seconds since the lock was written last, by the clock of the file system's server
 */
export async function aliveBy(holder: Holder, silence: number): Promise<Evidence | undefined> {
  const { pid, started, job, token } = holder;
  if (await isHere(holder)) return (await isRunningHere(pid, started)) ? "process" : undefined;
  if (job) {
    const own = ownJob();
    // The same job, before it was requeued.
    if (own?.scheduler === job.scheduler && own.id === job.id && job.restarts < own.restarts)
      return undefined;
    const isAlive = await askedLately(job);
    if (isAlive !== undefined) return isAlive ? "job" : undefined;
  }
  // Earlier versions of this program give no sign of life.
  return token === undefined || silence <= SILENT_SECONDS ? "heartbeat" : undefined;
}

/** A holder in words: `process 12 on node3 (Slurm job 7_2)`. */
export function holderWords({ pid, host, job }: Pick<Holder, "pid" | "host" | "job">): string {
  const where = host === hostname() ? "" : ` on ${host}`;
  return `process ${pid}${where}${job ? ` (${jobWords(job)})` : ""}`;
}

const asked = new Map<string, { readonly at: number; readonly answer: Promise<boolean | undefined> }>();

function askedLately(job: NonNullable<Holder["job"]>): Promise<boolean | undefined> {
  const key = `${job.scheduler} ${job.id}`;
  const known = asked.get(key);
  if (known && Date.now() - known.at < ASKED_MS) return known.answer;
  const answer = isJobAlive(job).catch(() => undefined);
  asked.set(key, { at: Date.now(), answer });
  return answer;
}

/** Whether the processes of a holder's machine can be seen from here. */
async function isHere({ host, machine }: Holder): Promise<boolean> {
  if (host !== hostname()) return false;
  return machine === undefined || machine === null || machine === (await machineIdentity());
}

async function isRunningHere(pid: number, started: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === null || started === (await startOf(pid));
}

/** What tells this machine, since it was started, and its process numbers from others with its name; null if unknown. */
async function machineIdentity(): Promise<string | null> {
  try {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    return `${boot.trim()} ${await readlink("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/** Start time of a process in clock ticks after boot, where the system tells (proc(5), field 22 of `stat`). */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}
