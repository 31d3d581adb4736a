import { add, multiply, reshape, subtract } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { type AffineScale, type FieldScale, isIdentity } from "./scaling.js";

/** Fields [..., numbers] in their own units as a model takes them. */
export function scaledTensor(x: Tensor, scales: FieldScale): Tensor {
  if (isIdentity(scales)) return x;
  const [offset, factor] = [
    ofEach(x, scales, (one) => one.offset),
    ofEach(x, scales, (one) => 1 / one.scale),
  ];
  return byChannels(x, scales.length, (channels) => multiply(subtract(channels, offset), factor));
}

/** What a model makes of them in the units of the data. */
export function unscaledTensor(x: Tensor, scales: FieldScale): Tensor {
  if (isIdentity(scales)) return x;
  const [offset, scale] = [ofEach(x, scales, (one) => one.offset), ofEach(x, scales, (one) => one.scale)];
  return byChannels(x, scales.length, (channels) => add(multiply(channels, scale), offset));
}

/** Fields [..., numbers] changed as [..., channels, numbers of a channel]. */
export function byChannels(x: Tensor, channels: number, change: (x: Tensor) => Tensor): Tensor {
  if (channels === 1) return change(x);
  const apart = [...x.shape.slice(0, -1), channels, x.shape.at(-1)! / channels];
  return reshape(change(reshape(x, apart)), x.shape);
}

/** A number for all, or one for each channel. */
function ofEach(
  { program }: Tensor,
  scales: FieldScale,
  number: (one: AffineScale) => number,
): Tensor | number {
  return scales.length === 1 ? number(scales[0]) : program.constant(scales.map(number), [scales.length, 1]);
}
