import type { FileData } from "../datasets/dataset.js";
import { describeFile, type FileChoice } from "../datasets/files/labelled-file.js";
import { TASK_NAMES } from "../datasets/tasks.js";
import { OptionError } from "../errors.js";
import { isOwnData } from "./chosen-model.js";

/**
 * Describes a file to train on. A user's own data that have the name of a built-in task are called `imported-...`, so
 * that nobody takes them for generated ones.
 *
 * @param task that the data must be of, if one is asked for
 */
export async function describeTrainingFile(
  path: string,
  choice: FileChoice,
  task?: string,
): Promise<FileData> {
  const data = await describeFile(path, choice);
  if (task !== undefined && data.task !== task)
    throw new OptionError(`${path} holds data of ${data.task}, not of ${task}`);
  const isMistakable =
    isOwnData(data) && TASK_NAMES.includes(data.task) && !data.origin.startsWith("simulated");
  return isMistakable ? { ...data, task: `imported-${data.task}` } : data;
}
