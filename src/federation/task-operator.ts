import type { TaskGeometry } from "../datasets/tasks.js";
import type { DeepOnetSizes } from "../models/deeponet.js";
import { deepOnetOperator } from "./deeponet-operator.js";
import type { Operator } from "./operator.js";
import type { RunOptions } from "./run-options.js";

/** Width and depth of the paper's networks (tab:controlled-tasks). */
export const DEEPONETS = {
  antiderivative: { width: 40, depth: 2 },
  burgers: { width: 64, depth: 2 },
  "diffusion-reaction": { width: 100, depth: 3 },
} as const satisfies Readonly<Record<string, Pick<DeepOnetSizes, "width" | "depth">>>;

/** The model that the paper trains on a task, for data of this geometry. */
export function taskOperator({ task }: Pick<RunOptions, "task" | "model">, geometry: TaskGeometry): Operator {
  const { inputShape, coordinates } = geometry;
  const sizes = {
    sensors: inputShape[0],
    coordinates: coordinates.t ? 2 : 1,
    ...DEEPONETS[task],
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
