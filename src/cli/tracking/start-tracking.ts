import { basename, resolve } from "node:path";
import { OptionError } from "../../errors.js";
import { commandLine } from "../../report/command-line.js";
import { type Closing, type FollowOutcome, follow } from "../../tracking/follow.js";
import { followedRuns } from "../../tracking/followed-run.js";
import { gitCommit } from "../../tracking/git-commit.js";
import { type TrackerChoice, TrackerDown } from "../../tracking/tracker.js";
import { chosenTrackers } from "../../tracking/trackers.js";
import type { TrackOptions } from "../options/track-options.js";
import { warn, warnOnce } from "../warning.js";

/** Seconds that a tracker has to answer before training starts without it. */
const PATIENCE_AT_START = 5;
/** Milliseconds that trackers have for what is left after Ctrl-C. */
export const PATIENCE_AFTER_STOP = 5000;

/** The runs of a folder as they are logged while they are trained. */
export interface Tracking {
  /** Sends what is left, and says what could not be sent. A second call does nothing. */
  finish(closing?: Closing): Promise<void>;
}

/** Name of an experiment for runs that belong to no study. */
export const experimentOfFolder = (folder: string): string => basename(resolve(folder));

/**
 * Starts to log the runs of a folder, if that was asked for. A mistake, such as a wrong password, is an error before
 * anything is trained. A tracker that does not answer is a warning.
 *
 * @param studyOf names the study of a run
 */
export async function startTracking(
  folder: string,
  studyOf: ReadonlyMap<string, string>,
  { track = [], experiment, quiet }: TrackOptions & { readonly quiet?: boolean },
): Promise<Tracking> {
  if (track.length === 0 && experiment !== undefined)
    throw new OptionError("--experiment names the experiment of a tracker: add --track");
  const own = experimentOfFolder(folder);
  const studies = studyOf.size === 0 ? [own] : [...new Set(studyOf.values())];
  const choices = chosenTrackers(track, { folder, studies, experiment, onNotice: warnOnce() });
  for (const choice of choices) await checkTracker(choice);
  if (!quiet) for (const { look } of choices) process.stderr.write(`Tracking: ${look}\n`);
  const commit = choices.length === 0 ? undefined : await gitCommit(process.cwd());
  const runs = () =>
    followedRuns(folder, {
      studyOf: (id) => studyOf.get(id) ?? own,
      ...(commit !== undefined && { facts: { git_commit: commit } }),
    });
  const followed = choices.map((choice) => follow(choice, { folder, runs, onWarning: warn }));
  let isFinished = false;
  return {
    async finish(closing) {
      if (isFinished) return;
      isFinished = true;
      const outcomes = await Promise.all(followed.map((one) => one.finish(closing)));
      for (const outcome of outcomes) reportUnsent(folder, experiment, outcome);
    },
  };
}

/** Refuses a tracker that no waiting mends; warns of one that does not answer. */
async function checkTracker(choice: TrackerChoice): Promise<void> {
  try {
    const tracker = await choice.open(AbortSignal.timeout(1000 * PATIENCE_AT_START));
    await tracker.close();
  } catch (error) {
    if (!(error instanceof TrackerDown)) throw error;
    warn(`${choice.words} ${error.message}: training starts without it, and it is tried again`);
  }
}

function reportUnsent(
  folder: string,
  experiment: string | undefined,
  { choice, unsent, reason }: FollowOutcome,
): void {
  if (unsent.checkpoints === 0 && reason === undefined) return;
  if (unsent.checkpoints === 0 && reason?.startsWith("process ")) return; // which sends them
  const named = experiment === undefined ? [] : ["--experiment", experiment];
  const later = commandLine(["track", folder, "--track", choice.words, ...named]);
  const what =
    unsent.checkpoints === 0
      ? "the end of some runs"
      : `${unsent.checkpoints} checkpoint${unsent.checkpoints === 1 ? "" : "s"} of ${unsent.runs} run${unsent.runs === 1 ? "" : "s"}`;
  warn(`${what} could not be sent (${reason ?? `${choice.words} refused them`}). Send them later: ${later}`);
}
