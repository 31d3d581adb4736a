import { fieldShape } from "../../src/models/model.js";
import { modelOf } from "../../src/models/models.js";
import type { TrainableModel } from "../../src/models/trainable-model.js";
import type { GivenValues } from "../../src/options/option.js";

/** Shapes of a sample; fields of one channel may leave out the axis of channels. */
export interface FieldShapes {
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Axes of the grid; 2 by default. */
  readonly axes?: number;
  /** Axes of an input; those of the grid by default. */
  readonly inputAxes?: number;
}

/** A model for fields of these shapes. */
export function buildOnGrid(
  name: string,
  { inputShape, responseShape, axes = 2, inputAxes = axes }: FieldShapes,
  options?: GivenValues,
): TrainableModel {
  const shapes = { inputs: fieldShape(inputShape, inputAxes)!, responses: fieldShape(responseShape, axes)! };
  return modelOf(name).build(shapes, options);
}
