import { CHANNEL_NAMES } from "./array-axes.js";
import type { ArrayDescription, AxisKind } from "./dataset.js";
import type { UsualData } from "./file-data.js";
import { TASK_NAMES, type TaskName, taskOf } from "./tasks.js";

/** What a task says of its data; undefined for names of the user's own. */
export function usualData(name: string): UsualData | undefined {
  if (!TASK_NAMES.includes(name as TaskName)) return undefined;
  const { title, parameters, geometry } = taskOf(name as TaskName);
  const { inputAxes, inputShape, responseAxes, responseShape } = geometry(parameters);
  const array = (label: string, names: readonly string[], shape: readonly number[]): ArrayDescription => ({
    label,
    axes: names.map((axis, i) => ({ kind: kindOf(axis), name: axis, length: shape[i] })),
  });
  return {
    title,
    parameters: Object.keys(parameters),
    inputs: array("input", inputAxes, inputShape),
    responses: array("response", responseAxes, responseShape),
  };
}

const kindOf = (name: string): AxisKind =>
  CHANNEL_NAMES.test(name) ? "channel" : /^(t|time)$/.test(name) ? "time" : "space";
