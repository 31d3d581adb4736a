import { type Fields, fieldSize, type LabelledFields } from "../datasets/fields.js";
import type { TrainingSamples } from "../models/trainable-model.js";
import type { Normalisation } from "./run-options.js";

/** Numbers z that a model works with, of physical ones x: z = (x - offset) / scale. */
export interface AffineScale {
  readonly offset: number;
  readonly scale: number;
}

/** One for all numbers of a field, or one for each of its channels, which follow each other. */
export type FieldScale = readonly AffineScale[];

/** The same constants for every client and for training and test. */
export interface Scaling {
  readonly inputs: FieldScale;
  readonly responses: FieldScale;
}

const IDENTITY: FieldScale = [{ offset: 0, scale: 1 }];
export const UNSCALED: Scaling = { inputs: IDENTITY, responses: IDENTITY };

/** Constants that make the numbers of the training set have mean 0 and standard deviation 1, or none. */
export async function fitScaling(train: LabelledFields, normalise: Normalisation): Promise<Scaling> {
  if (normalise === "none") return UNSCALED;
  const channels = ({ shape }: Fields) => (normalise === "channels" && shape.length === 3 ? shape[0] : 1);
  const { inputs, responses } = train;
  return {
    inputs: await standardScale(inputs, channels(inputs)),
    responses: await standardScale(responses, channels(responses)),
  };
}

async function standardScale(fields: Fields, channels: number): Promise<FieldScale> {
  const values = await fields.read(0, fields.samples);
  const size = fieldSize(fields) / channels;
  const count = values.length / channels;
  return Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let at = channel * size; at < values.length; at += channels * size)
      for (let i = at; i < at + size; i++) sum += values[i];
    const offset = sum / count;
    let square = 0;
    for (let at = channel * size; at < values.length; at += channels * size)
      for (let i = at; i < at + size; i++) square += (values[i] - offset) ** 2;
    return { offset, scale: Math.sqrt(square / count) || 1 };
  });
}

/** Labelled fields as a model takes them. */
export async function trainingSamples(
  { inputs, responses }: LabelledFields,
  scaling: Scaling = UNSCALED,
): Promise<TrainingSamples> {
  return {
    samples: inputs.samples,
    inputs: await scaled(inputs, scaling.inputs),
    responses: await scaled(responses, scaling.responses),
  };
}

async function scaled(fields: Fields, scales: FieldScale): Promise<Float32Array> {
  const values = await fields.read(0, fields.samples);
  if (isIdentity(scales)) return values instanceof Float32Array ? values : Float32Array.from(values);
  const size = fieldSize(fields) / scales.length;
  // Loops, since `Float32Array.from` with a function takes 70 times as long.
  const result = new Float32Array(values.length);
  for (let at = 0; at < values.length; at += size) {
    const { offset, scale } = scales[(at / size) % scales.length];
    for (let i = at; i < at + size; i++) result[i] = (values[i] - offset) / scale;
  }
  return result;
}

export function isIdentity(scales: FieldScale): boolean {
  return scales.every(({ offset, scale }) => offset === 0 && scale === 1);
}

/** The norm of fields of `size` numbers each in their own units. */
export function physicalNorm(values: Float32Array, size: number, scales: FieldScale): number {
  const length = size / scales.length;
  let square = 0;
  for (let at = 0; at < values.length; at += length) {
    const { offset, scale } = scales[(at / length) % scales.length];
    for (let i = at; i < at + length; i++) square += (scale * values[i] + offset) ** 2;
  }
  return Math.sqrt(square);
}
