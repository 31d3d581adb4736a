import { reshape } from "../engine/operations.js";
import { elements } from "../files/element-type.js";
import { type Fno2dSizes, fno2d, fno2dLayout, initialFno2d } from "../models/fno2d.js";
import { type Operator, plainTraining } from "./operator.js";

/** Shapes of a sample; fields of one channel may leave out the axis of channels. */
export interface FieldShapes {
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
}

/** A Fourier neural operator between fields on one grid. */
export function fno2dOperator(
  { inputShape, responseShape }: FieldShapes,
  options: Partial<Fno2dSizes> = {},
): Operator {
  const [inputs, rows, columns] = withChannels(inputShape);
  const [outputs] = withChannels(responseShape);
  const sizes = { width: 32, modes: 12, layers: 4, projection: 128, padding: 0, ...options, inputs, outputs };
  return fieldOperator({
    architecture: { name: "fno2d", ...sizes },
    layout: fno2dLayout(sizes),
    activation: Math.max(sizes.width, sizes.projection) * rows * columns,
    initial: (random) => initialFno2d(sizes, random),
    predict: (weights, fields) => {
      const samples = fields.shape[0];
      const prediction = fno2d(weights, reshape(fields, [samples, inputs, rows, columns]), sizes);
      return reshape(prediction, [samples, elements(responseShape)]);
    },
  });
}

/** An operator that is trained by nothing but its predictions, and whose programs are made for a number of samples. */
function fieldOperator(parts: Omit<Operator, "training" | "anySamples">): Operator {
  return { ...parts, anySamples: false, training: (samples) => plainTraining(parts, samples) };
}

/** Channels, rows and columns. */
function withChannels(shape: readonly number[]): readonly number[] {
  return shape.length === 2 ? [1, ...shape] : shape;
}
