import { add, divide, matmul, multiply, reshape, sqrt, subtract, sum } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";

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
 * Fields [..., samples, channels, rows, columns] normalised, then scaled and shifted by [..., 1, channels] each; axes
 * before these, over clients say, stay apart. Statistics become a factor and a summand for each sample and channel before
 * they meet the fields, which are passed over twice. Means over channels are products with a constant matrix: few
 * operations on few numbers.
 */
export function normalised(x: Tensor, kind: "group" | "batch", scale: Tensor, shift: Tensor): Tensor {
  const [samples, channels, rows, columns] = x.shape.slice(-4);
  const average = (values: Tensor): Tensor => {
    const sums = sum(values, [-2, -1]);
    return kind === "group"
      ? matmul(sums, groupMeans(x.program, channels, rows * columns))
      : multiply(sum(sums, [-2], { keep: true }), 1 / (samples * rows * columns));
  };
  const mean = average(x);
  const variance = subtract(average(multiply(x, x)), multiply(mean, mean));
  const factor = divide(scale, sqrt(add(variance, EPSILON)));
  const summand = subtract(shift, multiply(mean, factor));
  const perField = (values: Tensor): Tensor => reshape(values, [...values.shape, 1, 1]);
  return add(multiply(x, perField(factor)), perField(summand));
}

/** The matrix that takes sums over positions to means over positions and the channels of a group. */
function groupMeans(program: Program, channels: number, positions: number): Tensor {
  const size = groupSize(channels);
  const group = (channel: number): number => Math.floor(channel / size);
  const share = 1 / (positions * size);
  const matrix = Float64Array.from({ length: channels ** 2 }, (_, at) =>
    group(Math.floor(at / channels)) === group(at % channels) ? share : 0,
  );
  return program.constant(matrix, [channels, channels]);
}

/** The largest power of two up to eight that divides the number of channels. */
function groupSize(channels: number): number {
  let size = CHANNELS_PER_GROUP;
  while (channels % size !== 0) size /= 2;
  return size;
}
