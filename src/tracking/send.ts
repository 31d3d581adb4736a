import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../errors.js";
import { Feed } from "./feed.js";
import { takeTurn } from "./folder-turn.js";
import type { Closing, FollowOptions } from "./follow.js";
import { type TrackerChoice, TrackerDown } from "./tracker.js";

/** Attempts without progress before a tracker that does not answer is given up. */
const MOST_ATTEMPTS = 4;

/** Sends runs that were trained before, and returns the number of checkpoints that the tracker had not. */
export async function sendRuns(
  choice: TrackerChoice,
  { folder, runs, onWarning, interval = 1000 }: FollowOptions,
  { rows, report }: Closing = {},
): Promise<number> {
  const endTurn = await takeTurn(folder, choice.words);
  const feed = new Feed(choice, runs, new AbortController().signal, onWarning);
  try {
    for (let attempts = 1; ; attempts++) {
      const before = feed.checkpoints;
      try {
        await feed.pass();
        if (rows) await feed.compare(rows);
        await feed.settle();
        if (report) await feed.attach(report.study, report.page);
        return feed.checkpoints;
      } catch (error) {
        await feed.disconnect();
        if (!(error instanceof TrackerDown)) throw error;
        if (feed.checkpoints > before) attempts = 0;
        if (attempts === MOST_ATTEMPTS) throw new UserError(await failureOf(feed, error));
        await pause(error.retryAfter === undefined ? interval * 2 ** attempts : 1000 * error.retryAfter);
      }
    }
  } finally {
    await feed.disconnect();
    await endTurn();
  }
}

async function failureOf(feed: Feed, { message }: TrackerDown): Promise<string> {
  const { checkpoints, runs } = await feed.unsent();
  return `${feed.choice.words} ${message}: ${checkpoints} checkpoints of ${runs} runs are left; run the same command again`;
}
