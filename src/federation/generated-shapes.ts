import { CHANNEL_NAMES } from "../datasets/array-axes.js";
import { taskOf } from "../datasets/tasks.js";
import type { DataShapes, FieldShape } from "../models/model.js";
import { gridPoints } from "../models/output-points.js";
import type { RunOptions } from "./run-options.js";

/** Shapes of the data that are generated for a task. */
export function generatedShapes(task: string, parameters: RunOptions["parameters"]): DataShapes {
  const { inputShape, inputAxes, responseShape, responseAxes, coordinates } =
    taskOf(task).geometry(parameters);
  const axes = responseAxes.filter((name) => !CHANNEL_NAMES.test(name)).map((name) => coordinates[name]);
  return {
    inputs: fieldShape(inputShape, inputAxes),
    responses: fieldShape(responseShape, responseAxes),
    points: gridPoints(axes),
  };
}

function fieldShape(shape: readonly number[], axes: readonly string[]): FieldShape {
  const channels = axes.findIndex((name) => CHANNEL_NAMES.test(name));
  return {
    channels: channels < 0 ? 1 : shape[channels],
    grid: shape.filter((_, axis) => axis !== channels),
  };
}
