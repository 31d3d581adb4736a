import { add, divide, multiply, reshape, sqrt, subtract, sum } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";

/**
 * How activations are brought to mean zero and variance one between layers. `group` (Wu and He 2018): over a sample's
 * positions and eight neighbouring channels. `batch` (Ioffe and Szegedy 2015): each channel over all samples at hand,
 * in evaluation as in training. Neither keeps statistics, so that parameters are all that clients ever average; but
 * with `batch` a prediction depends on which samples are predicted together.
 */
export type Normalisation = "none" | "group" | "batch";
export const NORMALISATIONS: readonly Normalisation[] = ["none", "group", "batch"];

const CHANNELS_PER_GROUP = 8;
const EPSILON = 1e-5;

/**
 * Fields [samples, channels, rows, columns] normalised, then scaled and shifted by [1, channels] each. Statistics become
 * a factor and a summand for each sample and channel before they meet the fields, which are passed over twice.
 */
export function normalised(x: Tensor, kind: "group" | "batch", scale: Tensor, shift: Tensor): Tensor {
  const [samples, channels, rows, columns] = x.shape;
  const size = kind === "group" ? groupSize(channels) : 1;
  const apart = [samples, channels / size, size];
  const axes = kind === "group" ? [2] : [0];
  const count = rows * columns * (kind === "group" ? size : samples);
  const average = (values: Tensor): Tensor =>
    multiply(sum(reshape(sum(values, [2, 3]), apart), axes, { keep: true }), 1 / count);
  const mean = average(x);
  const variance = subtract(average(multiply(x, x)), multiply(mean, mean));
  const perChannel = (values: Tensor): Tensor => reshape(values, [1, channels / size, size]);
  const factor = divide(perChannel(scale), sqrt(add(variance, EPSILON)));
  const summand = subtract(perChannel(shift), multiply(mean, factor));
  const perField = (values: Tensor): Tensor => reshape(values, [values.shape[0], channels, 1, 1]);
  return add(multiply(x, perField(factor)), perField(summand));
}

/** The largest power of two up to eight that divides the number of channels. */
function groupSize(channels: number): number {
  let size = CHANNELS_PER_GROUP;
  while (channels % size !== 0) size /= 2;
  return size;
}
