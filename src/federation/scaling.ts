import { type Fields, fieldSize, type LabelledFields } from "../datasets/fields.js";
import type { DataShapes, FieldShape } from "../models/model.js";
import type { TrainingSamples } from "../models/trainable-model.js";
import type { Normalisation } from "./run-options.js";
import { slicesOf } from "./samples/slices.js";

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
export async function fitScaling(
  { inputs, responses }: LabelledFields,
  normalise: Normalisation,
  shapes: Pick<DataShapes, "inputs" | "responses">,
): Promise<Scaling> {
  if (normalise === "none") return UNSCALED;
  const count = ({ channels }: FieldShape) => (normalise === "channels" ? channels : 1);
  return {
    inputs: await standardScale(inputs, count(shapes.inputs)),
    responses: await standardScale(responses, count(shapes.responses)),
  };
}

/** Two passes: the means, then the spread about them. Every channel adds up its numbers in the order of the samples. */
async function standardScale(fields: Fields, channels: number): Promise<FieldScale> {
  const size = fieldSize(fields) / channels;
  const count = fields.samples * size;
  const sums = new Float64Array(channels);
  for await (const { values } of slicesOf(fields))
    for (let at = 0, channel = 0; at < values.length; at += size, channel = (channel + 1) % channels) {
      let sum = sums[channel];
      for (let i = at; i < at + size; i++) sum += values[i];
      sums[channel] = sum;
    }
  const offsets = sums.map((sum) => sum / count);
  const squares = new Float64Array(channels);
  for await (const { values } of slicesOf(fields))
    for (let at = 0, channel = 0; at < values.length; at += size, channel = (channel + 1) % channels) {
      const offset = offsets[channel];
      let square = squares[channel];
      for (let i = at; i < at + size; i++) square += (values[i] - offset) ** 2;
      squares[channel] = square;
    }
  return Array.from(offsets, (offset, channel) => ({
    offset,
    scale: Math.sqrt(squares[channel] / count) || 1,
  }));
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
  if (isIdentity(scales) && fields.dtype === "float32")
    return (await fields.read(0, fields.samples)) as Float32Array;
  const size = fieldSize(fields);
  const result = new Float32Array(fields.samples * size);
  for await (const { start, values } of slicesOf(fields))
    scaleInto(result.subarray(start * size, start * size + values.length), values, size, scales);
  return result;
}

/** Scales fields of `size` numbers each into an array of as many numbers. */
export function scaleInto(
  result: Float32Array,
  values: Float32Array | Float64Array,
  size: number,
  scales: FieldScale,
): void {
  if (isIdentity(scales)) {
    result.set(values);
    return;
  }
  // Loops, since `Float32Array.from` with a function takes 70 times as long; by whole numbers, since V8 may take the
  // quotient for a float, with which they take twice as long.
  const length = (size / scales.length) | 0;
  for (let at = 0, channel = 0; at < values.length; at += length, channel = (channel + 1) % scales.length) {
    const { offset, scale } = scales[channel];
    for (let i = at; i < at + length; i++) result[i] = (values[i] - offset) / scale;
  }
}

export function isIdentity(scales: FieldScale): boolean {
  return scales.every(({ offset, scale }) => offset === 0 && scale === 1);
}

/** The sum of the squares of fields of `size` numbers each in their own units, added to the sum so far. */
export function physicalSquare(values: Float32Array, size: number, scales: FieldScale, before = 0): number {
  const length = size / scales.length;
  let square = before;
  for (let at = 0; at < values.length; at += length) {
    const { offset, scale } = scales[(at / length) % scales.length];
    for (let i = at; i < at + length; i++) square += (scale * values[i] + offset) ** 2;
  }
  return square;
}
