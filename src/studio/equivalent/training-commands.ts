import { completeOptions, type GivenRunOptions } from "../../federation/run-options.js";
import { commandLine } from "../../report/command-line.js";
import { READING_CHOICES, readingFlags } from "../file-reading.js";
import type { StudioSettings } from "../settings.js";
import { givenRun, type TrainedData } from "../training/given-run.js";
import { checkRuns, parseRuns } from "../training/run-list.js";
import { runFlags } from "./training-flags.js";
import { dataWords, flag, parameterFlags } from "./words.js";

/** The runs of the page as the library takes them. */
export function givenRuns(settings: StudioSettings, data: TrainedData): readonly GivenRunOptions[] {
  const runs = parseRuns(settings.runs);
  checkRuns(runs);
  return runs.map((run) => givenRun(settings, run, data));
}

/** The commands that train what the page trains, one a run; before them the one that makes the data, where it is needed. */
export function trainingCommands(settings: StudioSettings, data: TrainedData): readonly string[] {
  const { origin } = data;
  const runs = givenRuns(settings, data);
  const { file, commands } = dataWords(origin);
  const isNamed = origin.kind === "task" && areNamedByTask(runs, data);
  const words = (given: GivenRunOptions) =>
    origin.kind === "file"
      ? [file, ...readingFlags(origin.reading, READING_CHOICES)]
      : isNamed
        ? [given.task, ...taskFlags(data)]
        : [given.task, "--data", file];
  return [
    ...(isNamed ? [] : commands),
    ...runs.map((given) => commandLine(["train", ...words(given), ...runFlags(given)])),
  ];
}

/** Whether all runs have the data that the commands generate for their seeds, so that no file is needed. */
export const areNamedByTask = (runs: readonly GivenRunOptions[], { description }: TrainedData): boolean =>
  runs.every((given) => completeOptions({ ...given, dataSeed: undefined }).dataSeed === description.seed);

/** Numbers of samples and parameters that are not the task's own. */
function taskFlags({ origin, description }: TrainedData): string[] {
  const { task, parameters = {} } = origin.kind === "task" ? origin.options : { task: "" };
  const usual = completeOptions({ task });
  return [
    ...(description.train === usual.train ? [] : flag("train", description.train)),
    ...(description.test === usual.test ? [] : flag("test", description.test)),
    ...parameterFlags(parameters),
  ];
}
