import { reshape } from "../engine/operations.js";
import { elements } from "../files/element-type.js";
import { type Fno2dSizes, fno2d, fno2dLayout, initialFno2d } from "../models/fno2d.js";
import { initialInversionNet, inversionNet, inversionNetLayout } from "../models/inversion-net.js";
import type { Normalisation } from "../models/normalisation.js";
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

/** InversionNet-lite: shot gathers [sources, time, receivers] to a map of velocities. */
export function inversionNetOperator(
  { inputShape, responseShape }: FieldShapes,
  { normalisation = "group" }: { readonly normalisation?: Normalisation } = {},
): Operator {
  const [sources, time, receivers] = inputShape;
  const sizes = { sources, time, receivers, normalisation };
  const layout = inversionNetLayout(sizes);
  return fieldOperator({
    architecture: { name: "inversion-net", ...sizes },
    layout,
    // The first layer's, of eight channels at half the time samples, is the largest.
    activation: 4 * time * receivers,
    initial: (random) => initialInversionNet(sizes, random),
    predict: (weights, gathers) => {
      const samples = gathers.shape[0];
      const map = inversionNet(weights, reshape(gathers, [samples, ...inputShape]), sizes);
      return reshape(map, [samples, elements(responseShape)]);
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
