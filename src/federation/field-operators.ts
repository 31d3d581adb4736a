import { reshape } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import type { Activation } from "../models/activation.js";
import { type Fno2dSizes, fno2d, fno2dLayout, initialFno2d } from "../models/fno2d.js";
import { initialInversionNet, inversionNet, inversionNetLayout } from "../models/inversion-net.js";
import type { Normalisation } from "../models/normalisation.js";
import type { Weights } from "../models/parameter-layout.js";
import { elements } from "../numerics/shape.js";
import type { Stream } from "../random/stream.js";
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
      const samples = fields.shape.slice(0, -1);
      const prediction = fno2d(weights, reshape(fields, [...samples, inputs, rows, columns]), sizes);
      return reshape(prediction, [...samples, elements(responseShape)]);
    },
  });
}

/** Samples whose activations are kept at once, for gradients of all of a client's. */
const GRADIENT_ROWS = 16;
/**
 * Numbers of a layer of InversionNet for all samples that are taken together. With more the cache holds less of them;
 * with fewer there are more operations to start.
 */
const TOGETHER = 1_200_000;

export interface InversionNetOptions {
  /** Channels of the first layers, half of those of the next and so on; 8 by default, a quarter of the original's. */
  readonly width?: number;
  readonly normalisation?: Normalisation;
  readonly activation?: Activation;
}

/** InversionNet-lite: shot gathers [sources, time, receivers] to a map of velocities. */
export function inversionNetOperator(
  { inputShape, responseShape }: FieldShapes,
  { width = 8, normalisation = "group", activation }: InversionNetOptions = {},
): Operator {
  const [sources, time, receivers] = inputShape;
  const channels = [width, 2 * width, 4 * width, 8 * width, 16 * width] as const;
  const chosen = activation && { activation };
  const sizes = { sources, time, receivers, normalisation, channels, ...chosen };
  const parts = {
    architecture: { name: "inversion-net", sources, time, receivers, width, normalisation, ...chosen },
    layout: inversionNetLayout(sizes),
    // The first layer's, at half the time samples, or the last one's is the largest.
    activation: width * Math.max((time / 2) * receivers, 80 * 80),
    initial: (random: Stream) => initialInversionNet(sizes, random),
    predict: (weights: Weights, gathers: Tensor) => {
      const samples = gathers.shape.slice(0, -1);
      const map = inversionNet(weights, reshape(gathers, [...samples, ...inputShape]), sizes);
      return reshape(map, [...samples, elements(responseShape)]);
    },
  };
  // Statistics of a batch need the whole batch.
  const together = Math.max(1, Math.floor(TOGETHER / parts.activation));
  return fieldOperator(parts, normalisation === "batch" ? undefined : together);
}

/** An operator that is trained by nothing but its predictions, and whose programs are made for a number of samples. */
function fieldOperator(
  parts: Omit<Operator, "training" | "anySamples" | "gradientRows">,
  together?: number,
): Operator {
  return {
    ...parts,
    gradientRows: GRADIENT_ROWS,
    anySamples: false,
    training: (samples, { wide = false } = {}) => plainTraining(parts, samples, wide ? undefined : together),
  };
}

/** Channels, rows and columns. */
function withChannels(shape: readonly number[]): readonly number[] {
  return shape.length === 2 ? [1, ...shape] : shape;
}
