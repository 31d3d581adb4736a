import { setTimeout as pause } from "node:timers/promises";
import { FileError, UserError } from "../errors.js";
import type { SeedRecord } from "../records/seed-record.js";
import { Feed } from "./feed.js";
import { takeTurn } from "./folder-turn.js";
import type { FollowedRun } from "./followed-run.js";
import { type TrackerChoice, TrackerDown } from "./tracker.js";

/** Milliseconds between two looks at the files of the runs, at least. */
const INTERVAL = 1000;
/** Share of the time that looking may take, so that a study of thousands of runs is not slowed down. */
const LOOKING = 0.2;
/** Milliseconds that a tracker is left alone after failures, at most. */
const LONGEST_PAUSE = 60_000;
/** Attempts to send what is left at the end. */
const LAST_ATTEMPTS = 3;
/** Milliseconds that a tracker which is down has at the end. */
const LAST_PATIENCE = 5000;

export interface FollowOptions {
  readonly folder: string;
  /** The runs that have begun so far. */
  readonly runs: () => Promise<FollowedRun[]>;
  readonly onWarning: (message: string) => void;
  readonly interval?: number;
}

/** What is sent at the end beside the last checkpoints. */
export interface Closing {
  /** Seed-level records, for excess errors and distances from the reference. */
  readonly rows?: readonly SeedRecord[];
  /** The report on all runs. */
  readonly report?: { readonly study: string; readonly page: string };
  /** Milliseconds after which whatever is under way is given up. */
  readonly patience?: number;
}

/** What became of a tracker. */
export interface FollowOutcome {
  readonly choice: TrackerChoice;
  /** Checkpoints that were sent by this process. */
  readonly sent: number;
  /** Checkpoints, and runs, that the tracker lacks. */
  readonly unsent: { readonly checkpoints: number; readonly runs: number };
  /** Why it lacks them: "mlflow:http://localhost:5000 cannot be reached (connection refused)". */
  readonly reason: string | undefined;
}

/** Runs that are sent to a tracker while they are trained. */
export interface Following {
  /** Sends what is left and ends; a second call gives the first one's outcome. */
  finish(closing?: Closing): Promise<FollowOutcome>;
}

/**
 * Sends the runs of a folder to a tracker while other code trains them. Training never waits for it: the journals on the
 * disk are the queue, and a tracker that fails is tried again, ever less often. One warning says so.
 */
export function follow(choice: TrackerChoice, options: FollowOptions): Following {
  const { folder, runs, onWarning, interval = INTERVAL } = options;
  const stop = new AbortController();
  const giveUp = new AbortController();
  const feed = new Feed(choice, runs, giveUp.signal, onWarning);
  let endTurn: (() => Promise<void>) | undefined;
  let failures = 0;
  let reason: string | undefined;
  let hasWarned = false;

  /** Sends what is new, if this process has the turn. */
  async function attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      endTurn ??= await takeTurn(folder, choice.words);
      await work();
      [failures, reason] = [0, undefined];
      return true;
    } catch (error) {
      await feed.disconnect();
      failures++;
      reason = failureWords(choice, error);
      // The process that has the turn sends these runs too.
      if (!hasWarned && endTurn) {
        hasWarned = true;
        onWarning(`${reason}: training continues, and what is missing is sent later`);
      }
      pauses = pauseAfter(error, failures, interval);
      return false;
    }
  }
  let pauses = interval;

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      pauses = interval;
      const began = performance.now();
      // Nothing is written into a folder in which no run has begun.
      if ((await runs().catch(() => [])).length > 0) await attempt(() => feed.pass());
      pauses = Math.min(LONGEST_PAUSE, Math.max(pauses, (performance.now() - began) / LOOKING));
      await pause(pauses, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }
  const looping = loop();

  async function finish({ rows, report, patience }: Closing = {}): Promise<FollowOutcome> {
    stop.abort();
    const limit = patience ?? (failures > 0 ? LAST_PATIENCE : undefined);
    const timer = limit === undefined ? undefined : setTimeout(() => giveUp.abort(), limit);
    await looping;
    const isAlive = failures === 0;
    const hasRuns = (await runs().catch(() => [])).length > 0;
    const last = async () => {
      await feed.pass();
      if (rows) await feed.compare(rows);
      await feed.settle();
      if (report) await feed.attach(report.study, report.page);
    };
    const attempts = !hasRuns ? 0 : isAlive ? LAST_ATTEMPTS : 1;
    for (let made = 0; made < attempts && !giveUp.signal.aborted; made++) {
      if (made > 0) await pause(Math.min(pauses, 1000 * 2 ** made));
      if (await attempt(last)) break;
    }
    clearTimeout(timer);
    const nothing = { checkpoints: 0, runs: 0 };
    const unsent = endTurn ? await feed.unsent().catch(() => nothing) : nothing;
    await feed.disconnect();
    await endTurn?.().catch(() => undefined);
    return { choice, sent: feed.checkpoints, unsent, reason };
  }

  let outcome: Promise<FollowOutcome> | undefined;
  return {
    finish: (closing) => {
      outcome ??= finish(closing);
      return outcome;
    },
  };
}

/** Why a tracker failed, as a sentence without its end. */
function failureWords({ words }: TrackerChoice, error: unknown): string {
  if (error instanceof UserError) return error.message;
  const isStopped = (error as Error).name === "AbortError";
  return `${words} ${isStopped ? "did not finish in time" : (error as Error).message}`;
}

function pauseAfter(error: unknown, failures: number, interval: number): number {
  if (error instanceof TrackerDown && error.retryAfter !== undefined)
    return Math.min(LONGEST_PAUSE, 1000 * error.retryAfter);
  if (error instanceof FileError) return 5 * interval; // another process has the turn, or the disk is full
  return Math.min(LONGEST_PAUSE, 2 ** Math.min(failures, 16) * interval);
}
