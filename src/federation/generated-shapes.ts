import { shapesOf } from "../datasets/dataset.js";
import { describeSource } from "../datasets/describe-source.js";
import type { SourceParameters } from "../datasets/source.js";
import type { DataShapes } from "../models/model.js";

/** Shapes of the data that a source generates. */
export function generatedShapes(task: string, parameters: SourceParameters): DataShapes {
  const { description, coordinates } = describeSource({ task, parameters });
  return shapesOf(description, coordinates);
}
