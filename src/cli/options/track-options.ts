import type { Command } from "commander";
import { TRACKER_USAGE } from "../../tracking/trackers.js";

/** Where runs are logged. */
export interface TrackOptions {
  readonly track?: readonly string[];
  readonly experiment?: string;
}

/** Adds the options that say where runs are logged. */
export function addTrackOptions(command: Command): Command {
  return command
    .option(
      "--track <tracker>",
      `log checkpoints to ${TRACKER_USAGE}; can be repeated`,
      (text: string, previous: string[] = []) => [...previous, text],
    )
    .option("--experiment <name>", "name of the experiment there (default: the study, or the folder)");
}
