import { type TaskGeometry, taskOf } from "../datasets/tasks.js";
import { DataError } from "../errors.js";
import type { DeepOnetSizes } from "../models/deeponet.js";
import { deepOnetOperator } from "./deeponet-operator.js";
import { fno2dOperator, inversionNetOperator } from "./field-operators.js";
import type { Operator } from "./operator.js";
import type { RunOptions } from "./run-options.js";

/** Width and depth of the paper's networks (tab:controlled-tasks). */
export const DEEPONETS = {
  antiderivative: { width: 40, depth: 2 },
  burgers: { width: 64, depth: 2 },
  "diffusion-reaction": { width: 100, depth: 3 },
} as const satisfies Readonly<Record<string, Pick<DeepOnetSizes, "width" | "depth">>>;

/** The model that the paper trains on a task, for data of this geometry. */
export function taskOperator(
  { task, model }: Pick<RunOptions, "task" | "model">,
  geometry: Pick<TaskGeometry, "inputShape" | "responseShape" | "coordinates">,
): Operator {
  const { inputShape, responseShape } = geometry;
  switch (taskOf(task).model) {
    case "deeponet":
      return taskDeepOnet(task as keyof typeof DEEPONETS, model, geometry);
    case "fno2d": {
      const plane = inputShape.slice(-2).join();
      const fields = [inputShape, responseShape].every(({ length }) => length === 2 || length === 3);
      const same = fields && responseShape.slice(-2).join() === plane;
      expectShape(
        "responses",
        responseShape,
        same,
        `fields on the grid of the inputs, ${inputShape.join(" x ")}`,
      );
      return fno2dOperator(geometry, model);
    }
    case "inversion-net":
      expectShape("inputs", inputShape, inputShape.length === 3, "gathers: sources x times x receivers");
      expectShape("responses", responseShape, responseShape.slice(-2).join() === "70,70", "maps of 70 x 70");
      return inversionNetOperator(geometry, model);
  }
}

function expectShape(what: string, found: readonly number[], fits: boolean, expected: string): void {
  if (!fits)
    throw new DataError(`the ${what} of the data are ${found.join(" x ")}; the model takes ${expected}`);
}

function taskDeepOnet(
  task: keyof typeof DEEPONETS,
  model: RunOptions["model"],
  {
    inputShape,
    responseShape,
    coordinates,
  }: Pick<TaskGeometry, "inputShape" | "responseShape" | "coordinates">,
): Operator {
  const { sensors, x, t } = coordinates;
  const expected = t ? [x.length, t.length] : [x.length];
  expectShape("inputs", inputShape, inputShape.join() === `${sensors.length}`, `${sensors.length} numbers`);
  expectShape("responses", responseShape, responseShape.join() === expected.join(), expected.join(" x "));
  const sizes = {
    sensors: inputShape[0],
    coordinates: coordinates.t ? 2 : 1,
    ...DEEPONETS[task],
    ...(model as Partial<DeepOnetSizes>),
  };
  return deepOnetOperator(sizes, gridPoints(coordinates));
}

/** Output points in the order of a response: x, then t, which runs fastest. */
export function gridPoints({ x, t }: TaskGeometry["coordinates"]): Float32Array {
  if (!t) return Float32Array.from(x);
  const points = new Float32Array(2 * x.length * t.length);
  x.forEach((place, i) => {
    t.forEach((time, j) => {
      points.set([place, time], 2 * (i * t.length + j));
    });
  });
  return points;
}
