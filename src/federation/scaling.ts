import type { Fields, LabelledFields } from "../datasets/fields.js";
import type { TrainingSamples } from "./operator.js";
import type { Normalisation } from "./run-options.js";

/** Numbers z that a model works with, of physical ones x: z = (x - offset) / scale. */
export interface AffineScale {
  readonly offset: number;
  readonly scale: number;
}

/** The same constants for every client and for training and test. */
export interface Scaling {
  readonly inputs: AffineScale;
  readonly responses: AffineScale;
}

const IDENTITY: AffineScale = { offset: 0, scale: 1 };
export const UNSCALED: Scaling = { inputs: IDENTITY, responses: IDENTITY };

/** Constants that make the numbers of the training set have mean 0 and standard deviation 1, or none. */
export async function fitScaling(train: LabelledFields, normalise: Normalisation): Promise<Scaling> {
  if (normalise === "none") return UNSCALED;
  return { inputs: await standardScale(train.inputs), responses: await standardScale(train.responses) };
}

async function standardScale(fields: Fields): Promise<AffineScale> {
  const values = await fields.read(0, fields.samples);
  const { length } = values;
  let sum = 0;
  for (let i = 0; i < length; i++) sum += values[i];
  const offset = sum / length;
  let square = 0;
  for (let i = 0; i < length; i++) square += (values[i] - offset) ** 2;
  return { offset, scale: Math.sqrt(square / length) || 1 };
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

async function scaled(fields: Fields, { offset, scale }: AffineScale): Promise<Float32Array> {
  const values = await fields.read(0, fields.samples);
  if (offset === 0 && scale === 1) return values instanceof Float32Array ? values : Float32Array.from(values);
  // A loop, since `Float32Array.from` with a function takes 70 times as long.
  const result = new Float32Array(values.length);
  for (let i = 0; i < result.length; i++) result[i] = (values[i] - offset) / scale;
  return result;
}
