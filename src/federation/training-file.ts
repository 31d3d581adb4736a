import type { FileData } from "../datasets/dataset.js";
import { describeFile, describeFileAsNoted, type FileChoice } from "../datasets/files/labelled-file.js";
import type { NotedNames } from "../datasets/files/open.js";
import { TASK_NAMES } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { isOwnData } from "./chosen-model.js";

/** What else is known of a file to train on. */
export interface TrainingFileOptions {
  /** The task that the data must be of, if one is asked for. */
  readonly task?: string;
  /** How a partition of the same data was read; repeated where nobody asks for something else. */
  readonly noted?: NotedNames;
}

/**
 * Describes a file to train on. A user's own data that have the name of a built-in task are called `imported-...`, so
 * that nobody takes them for generated ones.
 */
export async function describeTrainingFile(
  path: string,
  choice: FileChoice,
  { task, noted }: TrainingFileOptions = {},
): Promise<FileData> {
  const data = await (noted ? describeFileAsNoted(path, choice, noted) : describeFile(path, choice));
  if (task !== undefined && data.task !== task)
    throw new OptionError(`${path} holds data of ${data.task}, not of ${task}`);
  const isMistakable =
    isOwnData(data) && TASK_NAMES.includes(data.task) && !data.origin.startsWith("simulated");
  return isMistakable ? { ...data, task: `imported-${data.task}` } : data;
}
