import { type TaskGeometry, type TaskName, taskOf } from "../datasets/tasks.js";
import { DataError } from "../errors.js";
import { type DataShapes, fieldShape } from "../models/model.js";
import { buildModel } from "../models/models.js";
import { gridPoints } from "../models/output-points.js";
import type { TrainableModel } from "../models/trainable-model.js";
import type { RunOptions } from "./run-options.js";

/** Width and depth of the paper's networks (tab:controlled-tasks). */
export const DEEPONETS = {
  antiderivative: { width: 40, depth: 2 },
  burgers: { width: 64, depth: 2 },
  "diffusion-reaction": { width: 100, depth: 3 },
} as const;

/** Sizes that the paper gives the model of a task, where they differ from the model's defaults. */
const SIZES: Readonly<Partial<Record<TaskName, Readonly<Record<string, number>>>>> = DEEPONETS;

type Shapes = Pick<TaskGeometry, "inputShape" | "responseShape" | "coordinates">;

/** The model that the paper trains on a task, for data of this geometry. */
export function taskOperator(
  { task, model }: Pick<RunOptions, "task" | "model">,
  geometry: Shapes,
): TrainableModel {
  const shapes = taskOf(task).model === "deeponet" ? shapesAtPoints(geometry) : shapesOnPlane(geometry);
  return buildModel(taskOf(task).model, shapes, { ...SIZES[task], ...model });
}

/** Functions at the sensors of a task to its output points; a file must have the shapes that these have. */
function shapesAtPoints({ inputShape, responseShape, coordinates }: Shapes): DataShapes {
  const { sensors, x, t } = coordinates;
  const axes = t ? [x, t] : [x];
  const grid = axes.map(({ length }) => length);
  expectShape("inputs", inputShape, inputShape.join() === `${sensors.length}`, `${sensors.length} numbers`);
  expectShape("responses", responseShape, responseShape.join() === grid.join(), grid.join(" x "));
  return {
    inputs: { channels: 1, grid: inputShape },
    responses: { channels: 1, grid },
    points: gridPoints(axes),
  };
}

/** Fields on planes, with or without an axis of channels. */
function shapesOnPlane({ inputShape, responseShape }: Shapes): DataShapes {
  const field = (what: string, shape: readonly number[]) => {
    const found = fieldShape(shape, 2);
    expectShape(what, shape, found !== undefined, "fields of rows x columns, with channels before them");
    return found!;
  };
  return { inputs: field("inputs", inputShape), responses: field("responses", responseShape) };
}

function expectShape(what: string, found: readonly number[], fits: boolean, expected: string): void {
  if (!fits)
    throw new DataError(`the ${what} of the data are ${found.join(" x ")}; the model takes ${expected}`);
}
