import { type Command, Option } from "commander";
import { OptionError } from "../../errors.js";
import type { DeviceName } from "../../federation/backends.js";
import type { PropertiesOf } from "../../options/option.js";
import { MEMORY_OPTIONS } from "../../partition/memory-options.js";
import { DEFAULT_SAVE_EVERY } from "../../studies/execution/execute-runs.js";
import { type CommonOptions, number, wholeNumber } from "../options/arguments.js";
import { deviceOption } from "../options/device-option.js";
import { addOptionFlags } from "../options/option-flags.js";
import { addTrackOptions, type TrackOptions } from "../options/track-options.js";

/** How the runs of studies are carried out, here or by jobs of a cluster. */
export interface StudyOptions
  extends CommonOptions,
    TrackOptions,
    Partial<PropertiesOf<typeof MEMORY_OPTIONS>> {
  readonly out: string;
  readonly jobs?: number;
  readonly replicas?: number;
  readonly saveEvery: number;
  readonly device: DeviceName;
  readonly set?: readonly string[];
}

/** Adds the options of `StudyOptions` but those that every command has. */
export function addStudyOptions(command: Command): Command {
  command
    .requiredOption("--out <folder>", "folder for runs, tables and report")
    .option("--jobs <number>", "number of runs in parallel (default: the number of cores)", wholeNumber)
    .addOption(deviceOption())
    .option(
      "--replicas <number>",
      "batch up to N runs that differ only in seed and alpha (default on a GPU: as many as fit and keep it busy)",
      wholeNumber,
    );
  addOptionFlags(command, MEMORY_OPTIONS)
    .option(
      "--save-every <seconds>",
      "save the state of a run this often, to resume from",
      number,
      DEFAULT_SAVE_EVERY,
    )
    .addOption(
      new Option(
        "--set <field=value>",
        "override a field of the study, or of each study; can be repeated",
      ).argParser((text: string, previous: string[] = []) => [...previous, text]),
    );
  return addTrackOptions(command);
}

/** Refuses numbers of runs at once that make no sense. */
export function checkRunsAtOnce({ jobs, replicas }: Pick<StudyOptions, "jobs" | "replicas">): void {
  if (jobs !== undefined && jobs < 1)
    throw new OptionError(`--jobs is a whole number from 1 on, not ${jobs}`);
  if (replicas !== undefined && replicas < 1)
    throw new OptionError(`--replicas is a whole number from 1 on, not ${replicas}`);
  if (replicas !== undefined && jobs !== undefined)
    throw new OptionError("--replicas are batched in one process: leave out --jobs");
}

/** Whether runs that are replicas of one program stay together when a study is cut into parts. */
export const areReplicas = ({ device, replicas }: Pick<StudyOptions, "device" | "replicas">): boolean =>
  device === "cuda" || replicas !== undefined;
