import { OptionError } from "../../errors.js";
import type { ArrayTask } from "../../schedulers/scheduler.js";

/** One of several parts that a study is cut into: the third of eight is `{ index: 3, of: 8 }`. */
export interface Part {
  /** From 1 on. */
  readonly index: number;
  readonly of: number;
}

/** What `--part` may be. */
export const PART_FORM = "i/n from 1/n to n/n, auto or auto/n";

export const partText = ({ index, of }: Part): string => `${index}/${of}`;

/**
 * Reads `3/8`, or `auto` and `auto/8`: the task of a job array that this process is.
 *
 * @param task the place in an array of tasks that the scheduler gave this process
 */
export function readPart(text: string, task: ArrayTask | undefined): Part {
  const [, first, all] = /^(auto|\d{1,9})(?:\/(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (first === undefined || (first !== "auto" && all === undefined))
    throw new OptionError(`--part ${text} is not ${PART_FORM}`);
  const of = all === undefined ? undefined : Number(all);
  const part = first === "auto" ? partOfTask(task, of) : { index: Number(first), of: of! };
  if (part.index < 1 || part.index > part.of)
    throw new OptionError(`--part ${text} is part ${partText(part)}: parts go from 1 to ${part.of}`);
  return part;
}

function partOfTask(task: ArrayTask | undefined, asked: number | undefined): Part {
  if (!task)
    throw new OptionError(
      "--part auto needs a task of a job array (SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX, LSB_JOBINDEX or " +
        "JOB_COMPLETION_INDEX), and this is none: use --part i/n",
    );
  const { index, variable, first = 1, count } = task;
  const of = asked ?? count;
  if (of === undefined)
    throw new OptionError(
      `--part auto: ${variable} says ${index}, but not of how many: use --part auto/n with the number of tasks`,
    );
  const place = index - first + 1;
  if (place < 1 || place > of)
    throw new OptionError(
      `--part auto: ${variable} is ${index}, which is no part of ${of}: number the tasks from ${first} to ${first + of - 1}`,
    );
  return { index: place, of };
}
